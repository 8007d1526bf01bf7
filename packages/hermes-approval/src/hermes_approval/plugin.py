"""The hooks of hermes-approval: nothing heavy is imported here."""

hermes_api = ">=1.0,<2"
