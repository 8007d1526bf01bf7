"""The skills hub: users search, install, update and remove skills of others. Models have no access to it."""
