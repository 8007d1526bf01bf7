"""Where plugins come from: installed distributions, files of the user and of the project, and `HERMES_PLUGINS`."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hermes_core.config.tool_session import settings_environ
from hermes_core.errors import PluginError, did_you_mean
from hermes_core.plugins.candidate import Candidate
from hermes_core.plugins.entry_points import InstalledEntryPoint, installed_entry_points
from hermes_core.plugins.manifest import find_top_level, manifest_finder, read_regular_file
from hermes_core.plugins.names import is_ours

if TYPE_CHECKING:
    from hermes_core.config.settings import Settings

GROUP = "hermes.plugins"
VARIABLE = "HERMES_PLUGINS"
INSTALLED = "entry point"
HOME_FILE = "home file"
PROJECT_FILE = "project file"
ONE_RUN = VARIABLE
ADAPTERS = "hermes.plugin_adapters"
"""The entry-point group through which distributions adapt plugins of other programs.

An entry point names what it adapts, the entry-point group of those plugins or the file that marks a directory as one,
and its value is a function `adapt(plugin, name)` that returns a plugin of ours; for a directory, `plugin` is its path.
"""
ADAPTED = "adapted entry point"
ADAPTED_FOLDER = "adapted directory"
LOCKED = frozenset({INSTALLED, ADAPTED})
"""The origins of plugins that others change: what `hermes.lock` watches over."""
_MOST_SOURCE_BYTES = 16 << 20
"""A file beyond this is not source code that somebody wrote."""
PROJECT_FOLDER = os.path.join(".hermes", "plugins")


def find_all(home: str, chosen: Sequence[str] | None, *, adapted: bool = False) -> list[Candidate]:
    """Every plugin that there is, ours first: what they bring cannot be taken by one that sorts earlier.

    Args:
        home: The user's folder.
        chosen: What `HERMES_PLUGINS` names.
        adapted: Whether to look for installed plugins of other programs, too.
    """
    found = find_installed()
    found += find_files(home)
    found += find_project_files(home)
    if adapted:
        known = {(each.name, each.distribution) for each in found}  # of one that was shipped for both, ours is better
        found += [each for each in find_adapted() if (each.name, each.distribution) not in known]
    named = {each.name for each in found}
    found += find_chosen([word for word in chosen or () if word not in named])
    return sorted(found, key=lambda each: not is_ours(each))


def find_installed() -> list[Candidate]:
    """Every installed plugin, by name, without importing any of them."""
    found = [installed_candidate(entry) for entry in installed_entry_points((GROUP,))]
    return sorted(found, key=lambda candidate: (candidate.name, candidate.distribution or ""))


def installed_candidate(entry: InstalledEntryPoint, *, origin: str = INSTALLED) -> Candidate:
    """An entry point as a plugin that can be loaded."""
    module = entry.value.partition("[")[0].partition(":")[0].strip()
    refusal = None
    if entry.problem:
        refusal = (entry.problem, "Uninstall the distribution and install it again.")
    elif not module:
        refusal = (f"its entry point {entry.value!r} names no module.", "Write it as package.module.")
    return Candidate(
        name=entry.name,
        origin=origin,
        load=lambda: load_object(entry.value),
        distribution=entry.distribution,
        version=entry.version,
        manifest=manifest_finder(entry.name, module) if module else None,
        refusal=refusal,
        sources=lambda: read_module(module),
        reference=("object", entry.value),
    )


def read_module(module: str) -> Iterable[bytes]:
    """Return the text of the package of a plugin, without importing it."""
    from hermes_core.plugins.policy_plugins import module_sources

    return module_sources(module)


def load_reference(name: str, kind: str, value: str) -> object:
    """Import a plugin in another process than the one that found it: see `Candidate.reference`.

    Raises:
        BaseException: whatever importing it raised.
    """
    if kind == "file":
        from hermes_core.plugins.single_file import run_file

        with open(value, "rb") as opened:
            return run_file(value, opened.read())
    if kind.startswith(_ADAPTER):
        return _adapt(kind.removeprefix(_ADAPTER), value, name)
    return load_object(value)


def load_object(reference: str) -> object:
    """Import what `package.module` or `package.module:object` names; what stands in brackets behind it is ignored.

    Raises:
        PluginError: the module has no such object.
        BaseException: whatever importing it raised.
    """
    from importlib import import_module

    module, _, attributes = reference.partition("[")[0].partition(":")
    found: object = import_module(module.strip())
    for attribute in filter(None, attributes.strip().split(".")):
        try:
            found = getattr(found, attribute)
        except AttributeError as error:
            from hermes_schemas import nearest

            near = did_you_mean(nearest(attribute, (name for name in dir(found) if name[0] != "_"), 1))
            raise PluginError(
                f"there is no {attributes.strip()!r} in the module {module.strip()!r}.{near}",
                remedy="Mend its entry point, or install another version.",
            ) from error
    return found


# -- of other programs -----------------------------------------------------------------------------------------------

_ADAPTER = "adapter "


def is_adapted(candidate: Candidate) -> bool:
    """Whether a plugin was written for another program."""
    return candidate.reference is not None and candidate.reference[0].startswith(_ADAPTER)


def find_adapted() -> Iterator[Candidate]:
    """The installed plugins of other programs that an installed distribution can adapt. Nothing is imported."""
    adapters = _adapters()
    if not adapters:
        from hermes_core.families import explain_missing

        refusal = ("plugins.upstream is set, and no adapter is installed.", explain_missing(ADAPTERS))
        yield Candidate(name="plugins.upstream", origin="config", load=lambda: None, refusal=refusal)
        return
    entries = installed_entry_points(tuple(adapters))
    for entry in sorted(entries, key=lambda entry: (entry.name, entry.distribution or "")):
        if entry.problem is None:
            yield _adapted(entry.name, entry.value, adapters[entry.group], entry.distribution, entry.version)


def _adapted(
    name: str, value: str, adapter: str, distribution: str | None = None, version: str | None = None
) -> Candidate:
    return Candidate(
        name=name,
        origin=ADAPTED if distribution else ADAPTED_FOLDER,
        load=lambda: _adapt(adapter, value, name),
        distribution=distribution,
        version=version,
        sources=lambda: _folder_sources(value) if os.sep in value else read_module(value.partition(":")[0].strip()),
        reference=(f"{_ADAPTER}{adapter}", value),
    )


def _adapters() -> dict[str, str]:
    """What installed distributions adapt, and the function of each."""
    return {entry.name: entry.value for entry in installed_entry_points((ADAPTERS,)) if entry.problem is None}


def _adapt(adapter: str, value: str, name: str) -> object:
    adapt: object = load_object(adapter)
    assert callable(adapt)
    return adapt(value if os.sep in value else load_object(value), name)


def _find_folders(folder: str, origin: str) -> Iterator[Candidate]:
    """The directories of plugins of other programs; without their adapter, they are reported."""
    try:
        entries = [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:  # none, or reported as one that cannot be read
        return
    packages = [entry for entry in entries if os.path.isfile(os.path.join(entry, "__init__.py"))]
    if not packages:
        return
    from hermes_core.families import explain_missing

    adapters = _adapters()
    for package in sorted(packages):
        name = os.path.basename(package)
        files = sorted(os.listdir(package))
        if adapter := next((adapters[file] for file in files if file in adapters), None):
            yield _adapted(name, package, adapter)
        elif missing := next(filter(None, (explain_missing(file) for file in files if "." in file)), None):
            refusal = (f"{package} is a plugin of another program.", missing)
            yield Candidate(name=name, origin=origin, load=lambda: None, refusal=refusal)


def _folder_sources(folder: str) -> Iterator[bytes]:
    from hermes_core.plugins.policy_plugins import folder_sources

    return folder_sources([folder])


# -- single files ------------------------------------------------------------------------------------------------


def find_files(home: str) -> Iterator[Candidate]:
    """The plugins that the user put into `$HERMES_HOME/plugins`."""
    folder = os.path.join(home, "plugins")
    yield from _unreadable(folder, HOME_FILE)
    for file in plugin_files(folder):
        yield file_candidate(file, HOME_FILE)
    yield from _find_folders(folder, HOME_FILE)


def find_project_files(home: str) -> Iterator[Candidate]:
    """The plugins of the project in the current folder; those that the user did not trust are refused."""
    try:
        folder = os.path.abspath(PROJECT_FOLDER)
    except OSError:  # the current folder was removed
        return
    if not _same(folder, os.path.join(home, "plugins")):
        yield from _unreadable(folder, PROJECT_FILE)
    files = plugin_files(folder)
    if not files or _same(folder, os.path.join(home, "plugins")):
        return
    from hermes_core.plugins.trust import Trust

    trust = Trust(home)
    for file in files:
        yield file_candidate(file, PROJECT_FILE, check=trust.checker(folder, file))


def plugin_files(folder: str) -> list[str]:
    """The files in a folder that are plugins; those that begin with `_` or `.` are not."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:  # none, or reported by who looks for them
        return []
    files = [name for name in names if name.endswith(".py") and not name.startswith(("_", "."))]
    return [os.path.join(folder, name) for name in files if _may_be_read(os.path.join(folder, name))]


def _may_be_read(path: str) -> bool:
    """Whether it is a file, or cannot be looked at, which is told when it is read. Pipes and folders are no plugins."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:  # a link that leads nowhere
        return False
    except OSError:
        return True


def _unreadable(folder: str, origin: str) -> Iterator[Candidate]:
    """A folder that is there and cannot be read: nobody knows which plugins are missing, so somebody has to know."""
    try:
        os.listdir(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        reason = f"{folder} cannot be read ({error.strerror or error}), so no plugin in it is loaded."
        refusal = (reason, "Mend the folder, or take it away.")
        yield Candidate(name="plugins folder", origin=f"{origin}s", load=lambda: None, refusal=refusal)


def file_candidate(file: str, origin: str, check: Callable[[bytes], tuple[str, str] | None] | None = None) -> Candidate:
    """A single file as a plugin.

    Args:
        file: Its path.
        origin: Where it came from.
        check: Looks at the content and says why it must not run. What was checked is what runs.
    """
    from hermes_core.plugins.single_file import declared_api, run_file

    name = os.path.splitext(os.path.basename(file))[0]
    try:
        source = read_regular_file(file, _MOST_SOURCE_BYTES)
        if len(source) > _MOST_SOURCE_BYTES:
            raise OSError(f"it has more than {_MOST_SOURCE_BYTES >> 20} MiB")
    except OSError as error:
        remedy = f"Look at {VARIABLE}." if origin == ONE_RUN else "Mend its permissions, or take it away."
        refusal = (f"{file} cannot be read ({error.strerror or error}).", remedy)
        return Candidate(name=name, origin=origin, load=lambda: None, refusal=refusal)
    return Candidate(
        name=name,
        origin=origin,
        load=lambda: run_file(file, source),
        refusal=check(source) if check else None,
        api=declared_api(source),
        sources=lambda: (source,),
        reference=("file", file),
    )


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


# -- for one run -------------------------------------------------------------------------------------------------


def chosen_for_this_run(environ: Mapping[str, str] | None = None) -> tuple[str, ...] | None:
    """What `HERMES_PLUGINS` names: plugins, files and modules; None when it is not set."""
    given = settings_environ(environ).get(VARIABLE, "")
    return tuple(filter(None, (word.strip() for word in given.split(",")))) or None


def turned_off(name: str, settings: Settings | None, chosen: Collection[str] | None) -> str | None:
    """What the user would have to change for a plugin to be loaded; None when it is not turned off.

    Args:
        name: The plugin.
        settings: What the user set; None when that is nothing.
        chosen: What `HERMES_PLUGINS` names, which wins over the settings.
    """
    if chosen is not None:
        return None if name in chosen else f"Name it in {VARIABLE} to load it in this run."
    if settings is None:
        return None
    if name in settings.plugins_disabled:
        return "Change plugins.disabled in config.yaml to load it."
    if settings.plugins_enabled is not None and name not in settings.plugins_enabled:
        return "Change plugins.enabled in config.yaml to load it."
    return None


def find_chosen(words: Sequence[str]) -> Iterator[Candidate]:
    """The files and modules among the words of `HERMES_PLUGINS`."""
    for word in words:
        if is_file_word(word):
            yield file_candidate(os.path.abspath(os.path.expanduser(word)), ONE_RUN)
        elif is_module_word(word):
            yield _module_candidate(word)


def is_file_word(word: str) -> bool:
    """Whether a word of `HERMES_PLUGINS` is a path."""
    return word.endswith(".py") or os.sep in word


def is_module_word(word: str) -> bool:
    """Whether a word of `HERMES_PLUGINS` is what an entry point would say."""
    if is_file_word(word):
        return False
    return "." in word or ":" in word or (word.isidentifier() and find_top_level(word) is not None)


def _module_candidate(word: str) -> Candidate:
    def load() -> object:
        here = os.getcwd()
        if here not in sys.path and "" not in sys.path:
            sys.path.insert(0, here)  # as `python -m` does: the module is the user's own
        try:
            return load_object(word)
        except PluginError as error:
            raise PluginError(error.reason, plugin=word, remedy=f"Look at {VARIABLE}.") from error
        except ModuleNotFoundError as error:
            if error.name and (word == error.name or word.startswith((f"{error.name}.", f"{error.name}:"))):
                raise PluginError(
                    f"there is no module {error.name!r}.", plugin=word, remedy=f"Look at {VARIABLE}."
                ) from error
            raise

    return Candidate(
        name=word,
        origin=ONE_RUN,
        load=load,
        sources=lambda: read_module(word.partition(":")[0]),
        reference=("object", word),
    )
