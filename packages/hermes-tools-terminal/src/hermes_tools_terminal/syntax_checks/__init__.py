"""Syntax checks that report problems introduced by an edit."""
