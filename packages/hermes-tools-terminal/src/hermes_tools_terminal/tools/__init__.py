"""What models call."""
