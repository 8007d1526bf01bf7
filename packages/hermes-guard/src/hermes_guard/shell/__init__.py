"""Reads shell text and finds the commands that would run."""

from hermes_guard.shell.command import Command, Redirect, Stdin, Wrapper
from hermes_guard.shell.reader import read
from hermes_guard.shell.reader_state import Reading
from hermes_guard.shell.word import Word

__all__ = ["Command", "Reading", "Redirect", "Stdin", "Word", "Wrapper", "read"]
