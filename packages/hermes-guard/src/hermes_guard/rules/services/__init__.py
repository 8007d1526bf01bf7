"""Services: stopped, restarted, or kept from starting."""

from hermes_guard.rules.services import controllers, messages, runlevels, servers
from hermes_guard.rules.services.rules import FAMILY

__all__ = ["FAMILY", "controllers", "messages", "runlevels", "servers"]
