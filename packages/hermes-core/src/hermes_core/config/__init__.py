"""Settings: the home folder and config.yaml."""
