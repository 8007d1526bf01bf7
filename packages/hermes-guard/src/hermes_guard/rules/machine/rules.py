"""Declares the rules for the machine itself."""

from hermes_guard.rules.family import Family

FAMILY = Family("machine")

BOOT = FAMILY.rule("boot.change", "changes how the machine starts, or its clock and name: {path}", effects=("system",))
LOGS = FAMILY.rule("logs.erase", "erases logs or history: {path}", effects=("delete", "system"))
SLEEP = FAMILY.rule("machine.sleep", "puts the machine to sleep: {path}", effects=("system", "service"))
SETTINGS = FAMILY.rule("machine.settings", "resets the settings of programs: {path}", effects=("delete", "write"))
