"""Rules for clouds and infrastructure as code: deletes, stops, granted access, and unreviewed changes."""

from hermes_guard.rules.cloud.rules import FAMILY

__all__ = ["FAMILY"]
