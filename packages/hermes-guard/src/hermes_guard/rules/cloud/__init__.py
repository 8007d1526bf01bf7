"""Clouds and infrastructure as code: deletes, stops, rights given away, and changes that nobody has seen."""

from hermes_guard.rules.cloud.rules import FAMILY

__all__ = ["FAMILY"]
