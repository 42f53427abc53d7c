"""What is checked of a problem and its settings before training, and of the loss during it."""
