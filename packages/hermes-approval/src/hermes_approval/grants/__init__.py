"""Grants: calls that were approved before, each for one rule of one tool and the arguments that it names."""
