"""Declares the rules for clusters."""

from hermes_guard.rules.family import Family

FAMILY = Family("cluster")

DELETE = FAMILY.rule("cluster.delete", "deletes resources of a cluster: {path}", effects=("delete",))
DISRUPT = FAMILY.rule(
    "cluster.disrupt", "stops, moves or rolls back workloads in a cluster: {path}", effects=("service",)
)
RIGHTS = FAMILY.rule("cluster.rights", "grants rights to a cluster or its machines: {path}", effects=("privilege",))
FOREIGN = FAMILY.rule(
    "cluster.foreign", "installs something from a remote source into a cluster: {path}", effects=("execute",)
)
