"""Sends a harmless call through every path, and records which hooks saw it."""
