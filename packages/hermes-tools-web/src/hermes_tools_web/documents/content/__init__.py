"""Find the main content of a page."""
