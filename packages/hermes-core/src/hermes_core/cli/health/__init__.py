"""Runs the health checks of plugins for `hermes doctor`, each plugin in a process of its own."""
