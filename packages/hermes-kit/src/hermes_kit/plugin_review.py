"""What a reviewer says of a plugin beyond its tools: its manifest, its API range, and what it claims for itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from hermes_core import API_VERSION, PluginError
from hermes_core.inspection import (
    CORE_COMMANDS,
    CORE_SECTION_NAMES,
    FILE,
    Contribution,
    default_range,
    differences,
    find_manifest,
    load,
    make_manifest,
    manifest_places,
    refused_toolsets,
    within,
)
from hermes_files.installed_packages import find_package
from hermes_kit.loading import load_object
from hermes_kit.manifest_file import existing_manifest, manifest_file, owner, what_differs
from hermes_kit.review import Remark, check_plugin
from hermes_kit.targets import Target

_WRITE = "Run 'hermes plugin manifest'."


def review(target: Target) -> list[Remark]:
    """Everything there is to say of one plugin, which is loaded for it, alone; an empty list is praise."""
    candidate = target.candidate
    name = candidate.name
    if candidate.refusal is not None:
        reason, remedy = candidate.refusal
        return [Remark(rule="plugin.refused", subject=name, message=reason, remedy=remedy)]
    try:
        brought = load(candidate)
    except PluginError as error:
        remedy = error.remedy or "Fix it and try again."
        return [Remark(rule="plugin.broken", subject=name, message=error.reason, remedy=remedy)]
    remarks = [*check_plugin(brought.plugin, name), *_api(name, brought), *_claims(name, brought)]
    if target.module:
        remarks += _manifest(target, brought)
    return remarks


def _api(name: str, brought: Contribution) -> Iterator[Remark]:
    wanted = brought.api
    if wanted is None:
        return
    remedy = f'Write hermes_api = "{default_range()}", or the range that was tested.'
    try:
        if not within(wanted):
            message = f"It asks for version {wanted} of the plugin API, and this is {API_VERSION}: it is not loaded."
            yield Remark(rule="api.range", subject=name, message=message, remedy=remedy)
    except ValueError as error:
        yield Remark(rule="api.range", subject=name, message=f"Its hermes_api is wrong: {error}.", remedy=remedy)


def _claims(name: str, brought: Contribution) -> Iterator[Remark]:
    """What a plugin would be refused even where no other plugin is installed."""
    for section in brought.sections.values():
        if section.name in CORE_SECTION_NAMES:
            message = f"Its section {section.name!r} of config.yaml is the core's own."
            yield Remark(rule="section.core", subject=name, message=message, remedy="Name it after the plugin.")
    for command in brought.commands or ():
        if command in CORE_COMMANDS:
            message = f"Its command {command!r} can never run: 'hermes {command}' is built in."
            yield Remark(rule="command.builtin", subject=name, message=message, remedy="Rename it.")
    for problem in refused_toolsets(name, brought):
        yield Remark(rule="toolset.refused", subject=name, message=problem, remedy="Rename it.")


def check_manifest(plugin: ModuleType | str, name: str) -> list[Remark]:
    """Compare the manifest of a plugin with its code; an empty list means that they agree.

    Args:
        plugin: The plugin's module, or the value of its entry point: `package.module:object`.
        name: The name of the entry point.
    """
    where = plugin if isinstance(plugin, str) else plugin.__name__
    try:
        contribution = load_object(plugin, name)
        manifest = find_manifest(name, where.partition(":")[0])
    except PluginError as error:
        remedy = error.remedy or "Fix it and try again."
        return [Remark(rule="plugin.broken", subject=name, message=error.reason, remedy=remedy)]
    remedy = "Run 'hermes plugin manifest' and commit what it writes."
    if manifest is None:
        return [Remark(rule="manifest.missing", subject=name, message=f"It has no {FILE}.", remedy=remedy)]
    return [
        Remark(rule="manifest.stale", subject=name, message=f"Its manifest is stale: {sentence}", remedy=remedy)
        for sentence in differences(manifest, make_manifest(name, contribution))
    ]


# -- the manifest ----------------------------------------------------------------------------------------------------


def _manifest(target: Target, brought: Contribution) -> Iterator[Remark]:
    name = target.candidate.name
    made = make_manifest(name, brought)
    file = existing_manifest(name, target.module)
    if file is None:
        yield _missing(target)
        return
    try:
        stale = what_differs(name, file, made)
    except OSError as error:
        stale = [f"it cannot be read ({error.strerror or error})."]
    if stale:
        message = f"Its manifest {file} is stale: {' '.join(stale)}"
        yield Remark(rule="manifest.stale", subject=name, message=message, remedy=_WRITE)
    if not _is_shipped(file, target.module):
        yield Remark(
            rule="manifest.outside",
            subject=name,
            message=f"Its manifest {file} lies outside of its package, so it may not be shipped.",
            remedy=f"Remove it. {_WRITE}",
        )


def _missing(target: Target) -> Remark:
    name = target.candidate.name
    try:
        place = manifest_file(name, target.siblings)
    except PluginError as error:
        message = f"It has no manifest, so it is imported at every start: {error.reason}"
        return Remark(rule="manifest.missing", subject=name, message=message, remedy=error.remedy or _WRITE)
    if place.exists():
        holder = owner(place)
        what = f"that of a plugin {holder!r}, but the entry point is called {name!r}" if holder else "not a manifest"
        rule = "manifest.name" if holder else "manifest.broken"
        return Remark(rule=rule, subject=name, message=f"{place} is {what}.", remedy=_WRITE)
    for folder in (target.project, target.project and target.project / "src"):
        if folder is not None and owner(folder / FILE) == name:
            message = f"Its manifest {folder / FILE} lies outside of its package, where nobody looks for it."
            return Remark(rule="manifest.outside", subject=name, message=message, remedy=f"Remove it. {_WRITE}")
    message = "It has no manifest, so it is imported at every start."
    return Remark(rule="manifest.missing", subject=name, message=message, remedy=_WRITE)


def _is_shipped(file: Path, module: str) -> bool:
    """Whether a file lies in a package of its own, and not in a namespace that many distributions share."""
    spec = find_package(module.split(".", maxsplit=1)[0])
    shared = spec is not None and spec.origin is None
    return not shared or "." not in module or str(file.parent) not in _namespaces(module)


def _namespaces(module: str) -> set[str]:
    """The folders of the outermost package alone."""
    return set(manifest_places(module.split(".", maxsplit=1)[0]))
