"""Finds the inner command in the arguments of programs that run another command."""
