"""`hermes plugin new`: makes the project of a new plugin."""

from __future__ import annotations

from pathlib import Path

import click

from hermes_core import ConfigError
from hermes_core.commands import clean, print_json, say
from hermes_kit.scaffold import project_files


@click.command("new")
@click.argument("name")
@click.option("--folder", type=click.Path(path_type=Path), help="The directory; ./hermes-tools-NAME by default.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(name: str, folder: Path | None, as_json: bool) -> None:
    """Create a project for a new plugin.

    The project has a tool, a setting, passing tests and a manifest.

    Existing files are not overwritten. Exit code: 0 on success, 2 if nothing was created.
    """
    files = project_files(name)
    target = folder or Path(f"hermes-tools-{name.removeprefix('hermes-tools-')}")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError(f"{target} already exists. Choose another directory with --folder.")
    for path, text in files.items():
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    manifest = _manifest(target)
    made = sorted([*files, str(manifest.relative_to(target.resolve()))])
    if as_json:
        print_json({"folder": str(target), "files": made})
        return
    say(f"Made {clean(target)}:")
    for path in made:
        say(f"  {path}")
    say("Next: cd there, run 'pip install -e .' and 'pytest', and change src. Then run 'hermes plugin manifest'.")
    say("The README explains how to install the core and hermes-kit.")


def _manifest(target: Path) -> Path:
    """Write the manifest of the new code."""
    from hermes_core.inspection import load, make_manifest
    from hermes_kit.manifest_file import manifest_file, write_manifest
    from hermes_kit.targets import find_targets

    (made,) = find_targets(f"{target.resolve()}/")
    file = manifest_file(made.candidate.name, made.siblings)
    write_manifest(file, make_manifest(made.candidate.name, load(made.candidate)))
    return file
