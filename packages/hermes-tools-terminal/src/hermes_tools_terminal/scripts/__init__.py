"""Scripts of a model: each runs in a process of its own and calls tools of this one."""
