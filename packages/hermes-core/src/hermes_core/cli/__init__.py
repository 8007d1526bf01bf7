"""The hermes command: parses and prints, decides nothing."""
