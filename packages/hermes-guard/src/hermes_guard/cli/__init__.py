"""The `hermes-guard` command."""
