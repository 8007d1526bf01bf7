"""Connections by OpenSSH: shared, named, and explained when they fail."""
