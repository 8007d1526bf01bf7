"""Filesystems that only a shell can reach: containers, remote hosts and sandboxes."""
