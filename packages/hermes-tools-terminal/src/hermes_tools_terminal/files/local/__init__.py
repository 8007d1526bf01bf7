"""The files of this machine: opened without following links, replaced as a whole, read without holding them."""
