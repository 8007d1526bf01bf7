"""What `web_extract` does with URLs: they are checked, read, kept, shortened and told."""
