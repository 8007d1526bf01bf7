"""Policy rules, grants, approval channels and the audit log: a plugin of hermes-core on public hooks."""

__version__ = "1.0.0"

__all__: list[str] = []
