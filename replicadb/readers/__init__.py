"""Reading crawls: one file per family of input, and a registry that recognises them."""
