"""The command `hermes web`."""
