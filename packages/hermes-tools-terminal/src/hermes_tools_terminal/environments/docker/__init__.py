"""Containers of docker and podman."""
