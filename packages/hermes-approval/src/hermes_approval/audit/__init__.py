"""What became of every call: one redacted line each, in a file that rotates."""
