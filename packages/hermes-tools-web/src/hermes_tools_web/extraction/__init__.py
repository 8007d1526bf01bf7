"""Extract pages for `web_extract`: check, read, cache and summarize them, and format the result."""
