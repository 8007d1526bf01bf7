"""Text extraction from documents and detection of images, from bytes without file access."""
