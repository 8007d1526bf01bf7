"""Containers of docker and podman: how they are asked for, used, and left."""
