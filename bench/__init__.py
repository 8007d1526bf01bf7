"""How fast the hot paths are, always as a ratio to something that was measured in the same run."""
