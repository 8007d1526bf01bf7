"""The command group `hermes skills`, one module for each command."""
