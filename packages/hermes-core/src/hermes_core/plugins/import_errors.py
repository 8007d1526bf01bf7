"""Explains why and where the import of a plugin failed, and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import FrameType

from hermes_core.errors import HermesError, PluginError, describe_error
from hermes_core.plugins.plugin_records import Candidate

_MAX_CHARS = 400  # of an exception in a report; the log has all of it
FIX = "Fix it, or disable it with plugins.disabled in config.yaml."


def explain(candidate: Candidate, error: BaseException) -> PluginError:
    """Convert an exception of a plugin's code to an error that its author and its user can act on."""
    if isinstance(error, PluginError) and error.plugin:
        return error
    if isinstance(error, PluginError):
        reason, remedy = error.reason, error.remedy
    else:
        reason, remedy = (" ".join(text.split()) for text in _words(candidate, error))
    explained = PluginError(reason, plugin=candidate.name, distribution=candidate.distribution, remedy=remedy)
    explained.__cause__ = None if isinstance(error, PluginError) else error
    return explained


def _words(candidate: Candidate, error: BaseException) -> tuple[str, str]:
    at = _place(_lines(error))
    if isinstance(error, HermesError):
        said = str(error)
        remedy = getattr(error, "remedy", None)
        said = said.removesuffix(f" {remedy}") if remedy else said
        return f"{said} It is declared{at.removeprefix(',')}." if at else said, remedy or FIX
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _missing_module(error, error.name), _how_to_install(candidate, error.name)
    if isinstance(error, ImportError):
        said = describe_error(error).removeprefix(f"{type(error).__name__}: ").rstrip(".")
        return f"it cannot be imported: {said}{at}.", FIX
    if isinstance(error, SyntaxError):
        where = f" at {error.filename}:{error.lineno}" if error.filename and error.lineno else ""
        return f"it has a syntax error{where}: {error.msg}.", FIX
    if isinstance(error, SystemExit):
        return f"it called sys.exit({error.code!r}) while it was loaded{at}.", FIX
    said = describe_error(error)
    said = said if len(said) <= _MAX_CHARS else f"{said[:_MAX_CHARS]}..."
    return f"it raised {said} while it was loaded{at}.", FIX


def place_of_thread(thread: int | None) -> str:
    """Describe the line of a plugin that a thread is executing; empty if it is not in a plugin."""
    frame = sys._current_frames().get(thread or 0)
    lines: list[tuple[FrameType, int]] = []
    while frame is not None:
        lines.append((frame, frame.f_lineno))
        frame = frame.f_back
    return _place(line for line in reversed(lines) if _is_foreign(line[0]))


def _place(lines: Iterable[tuple[FrameType, int]]) -> str:
    """Describe the innermost line of the plugin itself; empty if none of its lines ran."""
    own = ""
    found = ""
    for frame, line in lines:
        own = own or _package(frame)
        if _package(frame) == own:  # deeper frames belong to libraries
            found = f", at {frame.f_code.co_filename}:{line}"
    return found


def _lines(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    """Yield the frames of a traceback without the core and Python's import system."""
    trace = error.__traceback__
    while trace is not None:
        if _is_foreign(trace.tb_frame):
            yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _is_foreign(frame: FrameType) -> bool:
    machinery = ("hermes_core", "importlib", "pluggy", "threading")
    return _package(frame) not in machinery and not frame.f_code.co_filename.startswith("<frozen")


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _missing_module(error: ModuleNotFoundError, name: str) -> str:
    lines = list(_lines(error))
    importer = ""
    if lines and _package(lines[-1][0]) != _package(lines[0][0]):
        frame, line = lines[-1]
        importer = f", which {frame.f_code.co_filename}:{line} imports"
    return f"it cannot be imported: No module named {name!r}{importer}."


def _how_to_install(candidate: Candidate, module: str) -> str:
    from hermes_core.families import install_command
    from hermes_files.extras import find_requirement

    if candidate.distribution and (requirement := find_requirement(candidate.distribution, module)):
        return f"Run: {install_command(requirement)}"
    return f"Install what provides the module {module!r}, or disable the plugin."
