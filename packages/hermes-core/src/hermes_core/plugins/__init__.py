"""Discovers plugins, imports them in isolation and registers what they provide."""
