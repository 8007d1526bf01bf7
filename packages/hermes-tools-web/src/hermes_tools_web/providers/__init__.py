"""Those who search the web and read pages, one file each, and what it takes to be one."""
