"""The `hermes web` command."""
