"""Parse documents into Markdown: HTML, PDF, feeds, JSON, XML and text."""
