"""The narrowest cut of a program, at which few values take the place of the coordinates."""
