"""Reviews a whole plugin: its tools, its manifest, its API range, and its reserved names."""

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
from hermes_kit.manifest_file import existing_manifest, find_differences, manifest_file, owner
from hermes_kit.review import Remark, check_plugin, load_object
from hermes_kit.targets import Target

_WRITE = "Run 'hermes plugin manifest'."


def review(target: Target) -> list[Remark]:
    """Return all remarks about one plugin, which is loaded for it."""
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
    supported = brought.api
    if supported is None:
        return
    remedy = f'Write hermes_api = "{default_range()}", or the range that you tested.'
    try:
        if not within(supported):
            message = f"It requires version {supported} of the plugin API, and this is {API_VERSION}: it is not loaded."
            yield Remark(rule="api.range", subject=name, message=message, remedy=remedy)
    except ValueError as error:
        yield Remark(rule="api.range", subject=name, message=f"Its hermes_api is wrong: {error}.", remedy=remedy)


def _claims(name: str, brought: Contribution) -> Iterator[Remark]:
    """Return remarks about names that no host would accept."""
    for section in brought.sections.values():
        if section.name in CORE_SECTION_NAMES:
            message = f"Its section {section.name!r} of config.yaml is reserved for the core."
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
    remedy = "Run 'hermes plugin manifest' and commit the file."
    if manifest is None:
        return [Remark(rule="manifest.missing", subject=name, message=f"It has no {FILE}.", remedy=remedy)]
    return [
        Remark(rule="manifest.stale", subject=name, message=f"Its manifest is stale: {sentence}", remedy=remedy)
        for sentence in differences(manifest, make_manifest(name, contribution))
    ]


def _manifest(target: Target, brought: Contribution) -> Iterator[Remark]:
    name = target.candidate.name
    made = make_manifest(name, brought)
    file = existing_manifest(name, target.module)
    if file is None:
        yield _missing(target)
        return
    try:
        stale = find_differences(name, file, made)
    except OSError as error:
        stale = [f"it cannot be read ({error.strerror or error})."]
    if stale:
        message = f"Its manifest {file} is stale: {' '.join(stale)}"
        yield Remark(rule="manifest.stale", subject=name, message=message, remedy=_WRITE)
    if not _is_shipped(file, target.module):
        yield Remark(
            rule="manifest.outside",
            subject=name,
            message=f"Its manifest {file} is outside of its package, so it may not be shipped.",
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
        what = f"that of a plugin {holder!r}, but the entry point has the name {name!r}" if holder else "not a manifest"
        rule = "manifest.name" if holder else "manifest.broken"
        return Remark(rule=rule, subject=name, message=f"{place} is {what}.", remedy=_WRITE)
    for folder in (target.project, target.project and target.project / "src"):
        if folder is not None and owner(folder / FILE) == name:
            message = f"Its manifest {folder / FILE} is outside of its package, so hosts do not find it."
            return Remark(rule="manifest.outside", subject=name, message=message, remedy=f"Remove it. {_WRITE}")
    message = "It has no manifest, so it is imported at every start."
    return Remark(rule="manifest.missing", subject=name, message=message, remedy=_WRITE)


def _is_shipped(file: Path, module: str) -> bool:
    """Return True if a file is in its own package, not in a namespace that distributions share."""
    top = module.split(".", maxsplit=1)[0]
    spec = find_package(top)
    shared = spec is not None and spec.origin is None
    return not shared or "." not in module or str(file.parent) not in manifest_places(top)
