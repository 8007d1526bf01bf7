"""Declares the rules for services."""

from hermes_guard.rules.family import Family

FAMILY = Family("services")

STOP = FAMILY.rule("service.stop", "stops, restarts or disables a service: {path}", effects=("service",))
LEVEL = FAMILY.rule("service.runlevel", "changes the runlevel of the machine: {path}", effects=("service",))
