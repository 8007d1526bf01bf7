"""Secrets: credentials that are read, printed, or sent away."""

from hermes_guard.rules.secrets import (
    clients,
    exposing,
    git,
    messages,
    named,
    names,
    printing,
    readers,
    searching,
    sockets,
    speaking,
    stores,
    transfers,
)
from hermes_guard.rules.secrets.table import FAMILY

__all__ = [
    "FAMILY",
    "clients",
    "exposing",
    "git",
    "messages",
    "named",
    "names",
    "printing",
    "readers",
    "searching",
    "sockets",
    "speaking",
    "stores",
    "transfers",
]
