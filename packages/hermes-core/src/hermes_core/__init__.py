"""The public door of hermes-core."""
