"""Declares the rules for containers and virtual machines."""

from hermes_guard.rules.family import Family

FAMILY = Family("containers")

STOP = FAMILY.rule("container.stop", "stops or restarts running containers: {path}", effects=("service",))
LIVE = FAMILY.rule(
    "container.live",
    "changes containers on another machine, or shared ones: {path}",
    effects=("service",),
)
REMOVE = FAMILY.rule("container.remove", "deletes containers, images, volumes or networks: {path}", effects=("delete",))
ESCAPE = FAMILY.rule("container.escape", "gives a container access to this machine: {path}", effects=("privilege",))
MACHINE = FAMILY.rule(
    "container.machine", "stops or deletes a virtual machine or a local cluster: {path}", effects=("delete", "service")
)
PUSH = FAMILY.rule(
    "container.publish", "publishes an image, or deletes one from a registry: {path}", effects=("publish",)
)
