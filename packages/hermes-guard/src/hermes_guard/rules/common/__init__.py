"""Helpers that several rule families share."""
