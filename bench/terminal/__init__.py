"""How much the terminal family adds to the shells, containers and connections that it stands on."""
