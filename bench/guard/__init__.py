"""How well and how fast hermes-guard judges."""
