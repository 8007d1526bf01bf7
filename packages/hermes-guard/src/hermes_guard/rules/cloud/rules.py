"""Declares the rules for clouds, infrastructure as code and fleets."""

from hermes_guard.rules.family import Family

FAMILY = Family("cloud")

DELETE = FAMILY.rule("cloud.delete", "deletes something in a cloud: {path}", effects=("delete",))
STOP = FAMILY.rule("cloud.stop", "stops or restarts something in a cloud: {path}", effects=("service",))
RIGHTS = FAMILY.rule(
    "cloud.rights", "changes permissions in a cloud, or opens it to the public: {path}", effects=("privilege",)
)
INFRASTRUCTURE = FAMILY.rule(
    "cloud.infrastructure", "changes or destroys real infrastructure: {path}", effects=("delete", "service")
)
FLEET = FAMILY.rule("cloud.fleet", "changes every machine of a group: {path}", effects=("service", "execute"))
PUBLISH = FAMILY.rule("cloud.publish", "publishes files where others can read them: {path}", effects=("publish",))
DEPLOY = FAMILY.rule("cloud.deploy", "makes a new version or setting live: {path}", effects=("publish", "service"))
