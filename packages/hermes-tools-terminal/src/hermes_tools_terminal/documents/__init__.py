"""Text out of documents that are no text, and what images are; from bytes, without touching a file."""
