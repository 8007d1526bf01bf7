"""Databases: destructive statements through client programs, and tools that drop, flush or reset."""

from hermes_guard.rules.sql import (
    clients,
    consoles,
    migrations,
    requests,
    servers,
    stores,
)
from hermes_guard.rules.sql.table import FAMILY

__all__ = ["FAMILY", "clients", "consoles", "migrations", "requests", "servers", "stores"]
