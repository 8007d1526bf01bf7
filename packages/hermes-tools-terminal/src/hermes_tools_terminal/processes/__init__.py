"""Background processes."""
