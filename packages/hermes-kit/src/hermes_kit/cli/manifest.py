"""`hermes plugin manifest`: writes the manifest of a plugin, so that hosts need not import the plugin to list it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_core import PluginError
from hermes_core.commands import ExitCode, clean, plugin_output, print_json, say

if TYPE_CHECKING:
    from hermes_kit.targets import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A new manifest. `differences` is None if there is no file yet."""

    plugin: str
    file: Path
    made: dict[str, Any]
    differences: list[str] | None

    @property
    def state(self) -> str:
        if self.differences is None:
            return "missing"
        return "stale" if self.differences else "up to date"


@click.command("manifest")
@click.argument("pkg", required=False)
@click.option("--check", is_flag=True, help="Write nothing; check whether the file is up to date.")
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the manifest instead of writing it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(pkg: str | None, check: bool, to_stdout: bool, as_json: bool) -> ExitCode:
    """Write hermes-plugin.json from a plugin's code.

    The file lets a host list the plugin's tools, settings and commands without importing it.

    PKG is a plugin, a distribution, an import package or a project directory. The default is the project in the current
    directory; its pyproject.toml must have the table [project.entry-points."hermes.plugins"].

    The file is written to the plugin's package. Commit it and ship it with the package.

    Exit code: 0 if the file was written or is up to date; with --check, 1 if it is missing or stale; 2 if the plugin
    cannot be found or imported, or the file cannot be written.
    """
    if check and to_stdout:
        raise click.UsageError("--check and --stdout cannot be combined.", ctx=click.get_current_context())
    if to_stdout:
        _print_manifest(pkg)
        return ExitCode.OK
    drafts = list(_drafts(pkg))
    if not check:
        for draft in drafts:
            _write(draft)
    if as_json:
        print_json({"manifests": [_fields(draft, check=check) for draft in drafts]})
    else:
        for draft in drafts:
            _print(draft, check=check)
    stale = any(draft.differences != [] for draft in drafts)
    return ExitCode.FOUND if check and stale else ExitCode.OK


def _print_manifest(pkg: str | None) -> None:
    from hermes_core.inspection import manifest_text

    made = [manifest for _, manifest in _made(pkg)]
    if len(made) > 1:
        names = ", ".join(manifest["plugin"] for manifest in made)
        raise click.UsageError(f"There are several plugins: choose one of {names}.", ctx=click.get_current_context())
    click.echo(manifest_text(made[0]), nl=False)


def _made(pkg: str | None) -> list[tuple[Target, dict[str, Any]]]:
    """Return each plugin with the manifest of its code: all of them or none.

    Raises:
        PluginError: one cannot be imported, or cannot have a manifest.
    """
    from hermes_core.inspection import load, make_manifest
    from hermes_kit.targets import find_targets

    with plugin_output(show=True):
        targets = find_targets(pkg)
        for target in targets:
            _refuse_unfit(target)
        return [(target, make_manifest(target.candidate.name, load(target.candidate))) for target in targets]


def _refuse_unfit(target: Target) -> None:
    candidate = target.candidate
    if candidate.refusal is not None:
        reason, remedy = candidate.refusal
        raise PluginError(reason, plugin=candidate.name, distribution=candidate.distribution, remedy=remedy)
    if not target.module:
        raise PluginError(
            "a plugin that is a single file has no manifest.",
            plugin=candidate.name,
            remedy="Make it a package with a pyproject.toml.",
        )


def _drafts(pkg: str | None) -> Iterator[_Draft]:
    from hermes_kit.manifest_file import find_differences, manifest_file

    for target, made in _made(pkg):
        name = target.candidate.name
        file = manifest_file(name, target.siblings)
        yield _Draft(plugin=name, file=file, made=made, differences=find_differences(name, file, made))


def _write(draft: _Draft) -> None:
    if draft.differences == []:
        return
    from hermes_kit.manifest_file import write_manifest

    try:
        write_manifest(draft.file, draft.made)
    except OSError as error:
        raise click.ClickException(f"{draft.file} cannot be written ({error.strerror or error}).") from error


def _fields(draft: _Draft, *, check: bool) -> dict[str, Any]:
    return {
        "plugin": draft.plugin,
        "file": str(draft.file),
        "state": draft.state if check or draft.differences == [] else "written",
        "differences": draft.differences or [],
    }


def _print(draft: _Draft, *, check: bool) -> None:
    file = _short(draft.file)
    if draft.differences == []:
        say(f"{file} is up to date.", "green")
    elif draft.differences is None:
        say(f"{file} is missing. Run 'hermes plugin manifest'." if check else f"Wrote {file}: {_contents(draft.made)}.")
    else:
        say(f"{file} is stale. Run 'hermes plugin manifest'." if check else f"Wrote {file}, which was stale:")
        for difference in draft.differences:
            say(f"  {clean(difference)}")


def _short(file: Path) -> str:
    current = Path.cwd()
    return str(file.relative_to(current) if file.is_relative_to(current) else file)


def _contents(made: dict[str, Any]) -> str:
    kinds = ("tools", "toolsets", "settings", "commands", "providers", "hooks")
    words = [
        f"{len(made[kind])} {kind.removesuffix('s') if len(made[kind]) == 1 else kind}"
        for kind in kinds
        if kind in made
    ]
    return ", ".join(words) or "nothing"
