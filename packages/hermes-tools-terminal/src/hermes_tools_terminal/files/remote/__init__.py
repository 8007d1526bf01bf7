"""Files that only a shell reaches: in containers, on other machines, behind the walls of a sandbox."""
