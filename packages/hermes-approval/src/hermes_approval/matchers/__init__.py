"""Matchers for text: globs, regular expressions, hosts and directories. In doubt, they take the stricter side."""
