"""What a text may be compared to: globs, regular expressions, hosts and folders, in doubt on the side that is asked."""
