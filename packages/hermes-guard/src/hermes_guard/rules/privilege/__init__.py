"""Privilege: passwords fed to sudo, shells as root, accounts and groups, capabilities, protections switched off."""

from hermes_guard.rules.privilege.rules import FAMILY

__all__ = ["FAMILY"]
