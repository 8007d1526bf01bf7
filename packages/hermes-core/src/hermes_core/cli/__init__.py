"""The `hermes` command. It parses and prints, and decides nothing."""
