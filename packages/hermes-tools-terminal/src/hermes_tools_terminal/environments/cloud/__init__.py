"""Environments that a vendor's SDK reaches."""
