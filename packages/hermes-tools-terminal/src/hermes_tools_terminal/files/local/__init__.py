"""The local filesystem."""
