"""What a document says, as Markdown: HTML, PDF, feeds, JSON, text."""
