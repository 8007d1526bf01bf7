"""The commands: parse and print."""
