"""Access to files in any environment, locally by system calls and remotely through a shell."""
