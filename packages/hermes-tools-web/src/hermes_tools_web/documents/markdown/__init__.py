"""Convert an HTML tree to Markdown."""
