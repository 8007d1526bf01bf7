"""Rules for clusters: what kubectl and similar programs delete, stop or grant."""

from hermes_guard.rules.cluster.rules import FAMILY

__all__ = ["FAMILY"]
