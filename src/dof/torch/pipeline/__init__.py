"""The whole way of a propagation: operators at x → seed → f → operators read off."""
