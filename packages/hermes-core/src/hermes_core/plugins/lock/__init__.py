"""What models are shown, pinned in `hermes.lock`, so that a changed tool is noticed before it is used."""
