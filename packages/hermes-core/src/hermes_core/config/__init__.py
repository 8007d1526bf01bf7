"""Settings: the home directory, `config.yaml`, `.env` and the environment."""
