"""The commands `hermes terminal` and `hermes undo`."""
