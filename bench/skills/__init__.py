"""Benchmarks of skills."""
