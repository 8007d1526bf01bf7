"""Runs a single-file plugin from exactly the bytes that were checked."""

from __future__ import annotations

import os
import re
import sys
import types

_API = re.compile(rb"""^(?:\xef\xbb\xbf)?hermes_api\s*(?::[^=\n]*)?=\s*\(?\s*["']([^"'\n]*)["']""", re.MULTILINE)


def declared_api(source: bytes) -> str | None:
    """Return the range of API versions that a file requires, without running it."""
    found = _API.search(source)
    return found.group(1).decode("utf-8", "replace") if found else None


def find_module(file: str, source: bytes) -> types.ModuleType | None:
    """Return the module of a file in this process; None if it has not run, or has changed since."""
    known = sys.modules.get(_module_name(file))
    return known if getattr(known, "__hermes_digest__", None) == _digest(source) else None


def run_file(file: str, source: bytes) -> types.ModuleType:
    """Return the module of a file. A file that did not change since it last ran is not run again."""
    known = find_module(file, source)
    if known is not None:
        return known
    name = _module_name(file)
    code = compile(source, file, "exec", dont_inherit=True)
    module = types.ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module  # types in annotations are looked up there
    try:
        exec(code, module.__dict__)  # noqa: S102 - running it is the purpose; who may is decided before
    except BaseException:
        if sys.modules.get(name) is module:
            del sys.modules[name]
        raise
    module.__dict__["__hermes_digest__"] = _digest(source)  # only now, so that no one gets half a module
    return module


def _module_name(file: str) -> str:
    return f"hermes_plugin_file_{_digest(os.fsencode(file))[:12]}"


def _digest(content: bytes) -> str:
    from hashlib import sha256

    return sha256(content).hexdigest()
