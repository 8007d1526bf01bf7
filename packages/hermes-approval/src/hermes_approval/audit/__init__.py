"""The audit log: one redacted line for every call, in a file that rotates."""
