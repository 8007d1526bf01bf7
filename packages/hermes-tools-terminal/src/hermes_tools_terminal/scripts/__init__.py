"""Scripts of a model: each runs in its own process and calls tools of this one."""
