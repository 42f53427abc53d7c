"""What the documentation is made of besides text: drawn or listed from the package itself, so that it stays true."""
