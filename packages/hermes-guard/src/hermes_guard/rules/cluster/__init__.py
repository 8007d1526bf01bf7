"""Clusters: what kubectl and its kin delete, stop or hand over."""

from hermes_guard.rules.cluster.rules import FAMILY

__all__ = ["FAMILY"]
