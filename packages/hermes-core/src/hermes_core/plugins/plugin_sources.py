"""The sources of plugins: installed distributions, files of the user and of the project, and `HERMES_PLUGINS`."""

from __future__ import annotations

import functools
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import PluginError, did_you_mean
from hermes_core.plugins.manifest import find_manifest
from hermes_core.plugins.name_ownership import is_ours
from hermes_core.plugins.plugin_records import ONE_RUN, Candidate
from hermes_files.installed_packages import InstalledEntryPoint, find_package, installed_entry_points, read_sources
from hermes_files.regular_files import read_regular_file

GROUP = "hermes.plugins"
INSTALLED = "entry point"
HOME_FILE = "home file"
PROJECT_FILE = "project file"
ADAPTERS = "hermes.plugin_adapters"
"""The entry-point group through which distributions adapt plugins of other programs.

An entry point names what it adapts, the entry-point group of those plugins or the file that marks a directory as one,
and its value is a function `adapt(plugin, name)` that returns a plugin of ours; for a directory, `plugin` is its path.
"""
ADAPTED = "adapted entry point"
ADAPTED_FOLDER = "adapted directory"
LOCKED = frozenset({INSTALLED, ADAPTED})
"""The origins of plugins from others, which `hermes.lock` checks."""
PROJECT_FOLDER = os.path.join(".hermes", "plugins")

_ADAPTER = "adapter "
_INSTALL_AGAIN = "Reinstall the distribution."
_MAX_SOURCE_BYTES = 16 << 20  # larger files are not source code written by people


def find_all(home: str, chosen: Sequence[str] | None, *, adapted: bool = False) -> list[Candidate]:
    """Find all plugins. Our own come first, so that others cannot take their names."""
    found = find_installed()
    found += find_files(home)
    found += find_project_files(home)
    if adapted:
        known = {
            (each.name, each.distribution) for each in found
        }  # if a plugin supports both, prefer its Hermes version
        found += [each for each in find_adapted() if (each.name, each.distribution) not in known]
    named = {each.name for each in found}
    found += find_chosen([word for word in chosen or () if word not in named])
    return sorted(found, key=lambda each: not is_ours(each))


# -- loading ---------------------------------------------------------------------------------------------------------


def load_reference(name: str, kind: str, value: str) -> object:
    """Import a plugin by its `Candidate.reference`, in this process or another."""
    if kind == "file":
        from hermes_core.plugins.single_file import run_file

        with open(value, "rb") as opened:
            return run_file(value, opened.read())
    if kind.startswith(_ADAPTER):
        adapt: Any = load_object(kind.removeprefix(_ADAPTER))
        return adapt(value if os.sep in value else load_object(value), name)
    return load_object(value)


def load_object(reference: str) -> object:
    """Import `package.module` or `package.module:object`. Raises `PluginError` if the module has no such object."""
    from importlib import import_module

    module = module_of(reference)
    attributes = reference.partition("[")[0].partition(":")[2].strip()
    found: object = import_module(module)
    for attribute in filter(None, attributes.split(".")):
        try:
            found = getattr(found, attribute)
        except AttributeError as error:
            from hermes_schemas import nearest

            near = did_you_mean(nearest(attribute, (name for name in dir(found) if name[0] != "_"), 1))
            raise PluginError(
                f"there is no {attributes!r} in the module {module!r}.{near}",
                remedy="Fix its entry point, or install another version.",
            ) from error
    return found


def module_of(reference: str) -> str:
    """Return the module of `package.module:object [extra]`."""
    return reference.partition("[")[0].partition(":")[0].strip()


def is_adapted(candidate: Candidate) -> bool:
    """Return True if a plugin was written for another program."""
    return candidate.reference is not None and candidate.reference[0].startswith(_ADAPTER)


def _referred(name: str, origin: str, kind: str, value: str, **facts: Any) -> Candidate:
    """Return a plugin that any process can load, and whose code can be read without importing it."""
    place = value if os.sep in value else module_of(value)
    return Candidate(
        name=name,
        origin=origin,
        reference=(kind, value),
        **{"load": lambda: load_reference(name, kind, value), "sources": lambda: read_sources(place), **facts},
    )


def _refused(name: str, origin: str, reason: str, remedy: str, **facts: Any) -> Candidate:
    return Candidate(name=name, origin=origin, load=lambda: None, refusal=(reason, remedy), **facts)


# -- installed -------------------------------------------------------------------------------------------------------


def find_installed() -> list[Candidate]:
    """Find all installed plugins, sorted by name, without importing any of them."""
    return [installed_candidate(entry) for entry in _sorted_entries(GROUP)]


def _sorted_entries(*groups: str) -> list[InstalledEntryPoint]:
    return sorted(installed_entry_points(groups), key=lambda entry: (entry.name, entry.distribution or ""))


def installed_candidate(entry: InstalledEntryPoint, *, origin: str = INSTALLED) -> Candidate:
    """Return an entry point as a plugin that can be loaded."""
    module = module_of(entry.value)
    refusal = None
    if entry.problem:
        refusal = (entry.problem, _INSTALL_AGAIN)
    elif not module:
        refusal = (f"its entry point {entry.value!r} names no module.", "Write it as package.module.")
    return _referred(
        entry.name,
        origin,
        "object",
        entry.value,
        distribution=entry.distribution,
        version=entry.version,
        manifest=(lambda: find_manifest(entry.name, module)) if module else None,
        refusal=refusal,
    )


# -- of other programs -----------------------------------------------------------------------------------------------


def find_adapted() -> Iterator[Candidate]:
    """Find the installed plugins of other programs without importing them. A missing adapter is reported."""
    adapters = _adapters()
    if not any(adapters.values()):
        from hermes_core.families import explain_missing

        reason = "plugins.upstream is set, and no adapter is installed."
        yield _refused("plugins.upstream", "config", reason, explain_missing(ADAPTERS))
    for entry in _sorted_entries(*adapters):
        origin = ADAPTED if entry.distribution else ADAPTED_FOLDER
        facts: dict[str, Any] = {"distribution": entry.distribution, "version": entry.version}
        if entry.problem:
            facts["refusal"] = (entry.problem, _INSTALL_AGAIN)
        yield _adapted(entry.name, origin, entry.group, adapters[entry.group], entry.value, **facts)


def _adapters() -> dict[str, str]:
    """Return the adapter for each kind of plugin of other programs; empty if none is installed."""
    from hermes_core.families import read_families

    kinds = {kind for family in read_families().values() for kind in family["adapts"]} - {ADAPTERS}
    installed = {entry.name: entry.value for entry in installed_entry_points((ADAPTERS,)) if entry.problem is None}
    return dict.fromkeys(kinds, "") | installed


def _adapted(name: str, origin: str, kind: str, adapter: str, value: str, **facts: Any) -> Candidate:
    if not adapter and "refusal" not in facts:
        from hermes_core.families import explain_missing

        facts["refusal"] = (f"{value} is a plugin of another program.", explain_missing(kind))
    return _referred(name, origin, _ADAPTER + adapter, value, **facts)


def _find_folders(folder: str) -> Iterator[Candidate]:
    """Find directories with plugins of other programs. A missing adapter is reported."""
    packages = [path for path in _children(folder) if os.path.isfile(os.path.join(path, "__init__.py"))]
    adapters = _adapters() if packages else {}
    for package in packages:
        file = next((file for file in sorted(os.listdir(package)) if file in adapters), None)
        if file is not None:
            yield _adapted(os.path.basename(package), ADAPTED_FOLDER, file, adapters[file], package)


# -- single files ----------------------------------------------------------------------------------------------------


def find_files(home: str) -> Iterator[Candidate]:
    """Find the plugins in `$HERMES_HOME/plugins`."""
    folder = os.path.join(home, "plugins")
    yield from _unreadable(folder, HOME_FILE)
    for file in plugin_files(folder):
        yield file_candidate(file, HOME_FILE)
    yield from _find_folders(folder)


def find_project_files(home: str) -> Iterator[Candidate]:
    """Find the plugins of the project in the current directory; those that the user does not trust are refused."""
    try:
        folder = os.path.abspath(PROJECT_FOLDER)
    except OSError:  # the current folder was removed
        return
    if os.path.realpath(folder) == os.path.realpath(os.path.join(home, "plugins")):
        return
    yield from _unreadable(folder, PROJECT_FILE)
    if not (files := plugin_files(folder)):
        return
    from hermes_core.plugins.trust import Trust

    trust = Trust(home)
    for file in files:
        yield file_candidate(file, PROJECT_FILE, check=functools.partial(trust.refuse, folder, file))


def plugin_files(folder: str) -> list[str]:
    """Return the files in a directory that are plugins; those that begin with `_` or `.` are not."""
    names = [path for path in _children(folder) if path.endswith(".py")]
    return [path for path in names if not os.path.basename(path).startswith(("_", ".")) and _may_be_read(path)]


def _children(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError:  # missing, or reported as unreadable
        return []


def _may_be_read(path: str) -> bool:
    """Return True for a file, and for paths that cannot be examined, which are reported when they are read."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:  # a link that leads nowhere
        return False
    except OSError:
        return True


def _unreadable(folder: str, origin: str) -> Iterator[Candidate]:
    """Report a directory that cannot be read, because its plugins are missing."""
    try:
        os.listdir(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        reason = f"{folder} cannot be read ({error.strerror or error}), so no plugin in it is loaded."
        sources = (lambda: [None]) if origin == HOME_FILE else None  # untrusted files hold no policy
        yield _refused("plugins folder", f"{origin}s", reason, "Fix the folder, or remove it.", sources=sources)


def file_candidate(file: str, origin: str, check: Callable[[bytes], tuple[str, str] | None] | None = None) -> Candidate:
    """Return a single file as a plugin. `check` explains why its content, which runs later, must not run."""
    from hermes_core.plugins.single_file import declared_api, run_file

    name = os.path.splitext(os.path.basename(file))[0]
    try:
        source = read_regular_file(file, _MAX_SOURCE_BYTES)
        if len(source) > _MAX_SOURCE_BYTES:
            raise OSError(f"it has more than {_MAX_SOURCE_BYTES >> 20} MiB")
    except OSError as error:
        remedy = f"Look at {ONE_RUN}." if origin == ONE_RUN else "Fix its permissions, or remove it."
        reason = f"{file} cannot be read ({error.strerror or error})."
        return _refused(name, origin, reason, remedy, sources=lambda: read_sources(file))
    return _referred(
        name,
        origin,
        "file",
        file,
        load=lambda: run_file(file, source),
        sources=lambda: (source,),
        refusal=check(source) if check else None,
        api=declared_api(source),
    )


# -- for one run -----------------------------------------------------------------------------------------------------


def chosen_for_this_run(environ: Mapping[str, str] | None = None) -> tuple[str, ...] | None:
    """Return the words of `HERMES_PLUGINS`: plugins, files and modules; None if it is not set."""
    given = settings_environ(environ).get(ONE_RUN, "")
    return tuple(filter(None, (word.strip() for word in given.split(",")))) or None


def find_chosen(words: Sequence[str]) -> Iterator[Candidate]:
    """Return the files and modules among the words of `HERMES_PLUGINS`."""
    for word in words:
        if is_file_word(word):
            yield file_candidate(os.path.abspath(os.path.expanduser(word)), ONE_RUN)
        elif is_module_word(word):
            yield _referred(word, ONE_RUN, "object", word, load=functools.partial(_load_word, word))


def is_file_word(word: str) -> bool:
    """Return True if a word of `HERMES_PLUGINS` is a path."""
    return word.endswith(".py") or os.sep in word


def is_module_word(word: str) -> bool:
    """Return True if a word of `HERMES_PLUGINS` is a module, like the value of an entry point."""
    if is_file_word(word):
        return False
    return "." in word or ":" in word or (word.isidentifier() and find_package(word) is not None)


def _load_word(word: str) -> object:
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)  # like `python -m`, because the module is the user's own
    remedy = f"Look at {ONE_RUN}."
    try:
        return load_object(word)
    except PluginError as error:
        raise PluginError(error.reason, plugin=word, remedy=remedy) from error
    except ModuleNotFoundError as error:
        if error.name and f"{module_of(word)}.".startswith(f"{error.name}."):
            raise PluginError(f"there is no module {error.name!r}.", plugin=word, remedy=remedy) from error
        raise
