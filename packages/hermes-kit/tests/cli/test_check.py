"""`hermes plugin`: the group, and `hermes plugin check`, which says what a reviewer would."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Protocol

import pytest

Run = Callable[..., CompletedProcess[str]]


class Workshop(Protocol):
    """What the fixture of that name gives."""

    folder: Path
    home: Path
    site: Path
    project: Callable[..., Path]
    declare: Callable[[Path, str], None]
    package: Callable[..., Path]
    install: Callable[..., Path]
    run: Run


CARELESS = """
import click
from hermes_core import Toolset, hookimpl, tool

hermes_api = ">=7"

@tool
def deleteAll(what) -> str:
    '''Delete.'''
    return ""

@click.command("tools")
def tools(): ...

@hookimpl
def hermes_tools(): return [deleteAll]

@hookimpl
def hermes_commands(): return [tools]

@hookimpl
def hermes_settings(): return {"calls": {"type": "object", "properties": {}}}

@hookimpl
def hermes_toolsets(): return [Toolset("web", tools=["deleteAll"])]
""".replace("(what)", "(what: object)")


def rules(outcome: CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    """The remarks on the only plugin, by rule."""
    (plugin,) = json.loads(outcome.stdout)["plugins"]
    assert outcome.returncode == bool(plugin["remarks"])
    return {remark["rule"]: remark for remark in plugin["remarks"]}


# -- the group -------------------------------------------------------------------------------------------------------


def test_alone_it_prints_its_help(bare: Run) -> None:
    outcome = bare("plugin")
    assert (outcome.returncode, outcome.stderr) == (0, "")
    lines = {line.split()[0]: line for line in outcome.stdout.split("Commands:")[1].splitlines() if line}
    for name in ("new", "manifest", "check"):
        assert lines[name].endswith("."), "the summary must fit"
        assert not lines[name].endswith("...")


@pytest.mark.parametrize("name", ["manifest", "check"])
def test_every_subcommand_speaks_json_and_documents_its_exit_status(bare: Run, name: str) -> None:
    text = bare("plugin", name, "--help").stdout
    assert "--json" in text
    assert "--debug" in text
    assert "Exit code: 0 if" in text


# -- check -----------------------------------------------------------------------------------------------------------


def test_a_good_project_is_praised(workshop: Workshop) -> None:
    project = workshop.project()
    workshop.run("plugin", "manifest", cwd=project)
    outcome = workshop.run("plugin", "check", cwd=project)
    assert (outcome.returncode, outcome.stdout) == (0, "coin (hermes-tools-coin 0.3): no remarks.\n")
    assert rules(workshop.run("plugin", "check", "--json", "project")) == {}


def test_everything_careless_is_remarked_on(workshop: Workshop) -> None:
    project = workshop.project(CARELESS)
    found = rules(workshop.run("plugin", "check", "--json", cwd=project))
    assert set(found) == {
        "name.style",
        "toolset.missing",
        "description.short",
        "parameter.undocumented",
        "parameter.untyped",
        "effects.undeclared",
        "api.range",
        "section.core",
        "command.builtin",
        "toolset.refused",
        "manifest.missing",
    }
    assert "'hermes tools' is built in" in found["command.builtin"]["message"]
    assert "'calls'" in found["section.core"]["message"]
    assert "'web'" in found["toolset.refused"]["message"]
    assert found["parameter.untyped"]["parameter"] == "what"
    assert all(remark["remedy"] for remark in found.values())


def test_people_get_each_remark_with_what_to_do(workshop: Workshop) -> None:
    workshop.install(CARELESS)
    outcome = workshop.run("plugin", "check", "coin")
    assert outcome.returncode == 1
    assert outcome.stdout.startswith("coin (hermes-tools-coin 0.3): 11 remarks.\n")
    assert "  deleteAll, parameter what: It accepts anything" in outcome.stdout
    assert outcome.stdout.count("    What to do: ") == 11


def test_a_single_file_can_be_checked_and_needs_no_manifest(workshop: Workshop) -> None:
    (workshop.folder / "mine.py").write_text("from hermes_core import hookimpl\n", encoding="utf-8")
    assert set(rules(workshop.run("plugin", "check", "mine.py", "--json"))) == {"plugin.empty"}
    outcome = workshop.run("plugin", "check", "no.py")
    assert outcome.returncode == 2
    assert "There is no file 'no.py'." in outcome.stderr


def test_a_file_in_the_users_home_is_known_by_its_name(workshop: Workshop) -> None:
    (workshop.home / "plugins").mkdir(parents=True)
    (workshop.home / "plugins" / "mine.py").write_text("raise SystemExit(3)", encoding="utf-8")
    found = rules(workshop.run("plugin", "check", "mine", "--json"))
    assert "sys.exit(3)" in found["plugin.broken"]["message"]


def test_a_broken_plugin_is_a_remark_and_not_a_crash(workshop: Workshop) -> None:
    workshop.install("import no_such_module_anywhere\n")
    found = rules(workshop.run("plugin", "check", "hermes-tools-coin", "--json"))
    assert set(found) == {"plugin.broken"}
    assert "no_such_module_anywhere" in found["plugin.broken"]["message"]


def test_a_stale_manifest_is_remarked_on(workshop: Workshop) -> None:
    package = workshop.install()
    workshop.run("plugin", "manifest", "coin")
    file = package / "hermes-plugin.json"
    file.write_text(file.read_text("utf-8").replace("Toss a coin", "Lose a coin"), encoding="utf-8")
    found = rules(workshop.run("plugin", "check", "coin", "--json"))
    assert "tool 'toss_coin' differs in its description" in found["manifest.stale"]["message"]


def test_a_manifest_of_another_name_than_the_entry_point_is_remarked_on(workshop: Workshop) -> None:
    project = workshop.project()
    workshop.run("plugin", "manifest", cwd=project)
    workshop.declare(project, 'penny = "hermes_tools_coin"')
    found = rules(workshop.run("plugin", "check", "--json", cwd=project))
    assert "that of a plugin 'coin', but the entry point has the name 'penny'" in found["manifest.name"]["message"]


def test_a_manifest_outside_of_the_package_is_remarked_on(workshop: Workshop) -> None:
    project = workshop.project()
    (project / "hermes-plugin.json").write_text('{"plugin": "coin"}', encoding="utf-8")
    found = rules(workshop.run("plugin", "check", "--json", cwd=project))
    assert "is outside of its package" in found["manifest.outside"]["message"]


def test_a_manifest_in_a_shared_namespace_is_remarked_on(workshop: Workshop) -> None:
    project = workshop.folder / "project"
    package = workshop.package(project / "src" / "hermes_shared", "from hermes_core import hookimpl\n", "mine")
    workshop.declare(project, 'mine = "hermes_shared.mine"')
    workshop.run("plugin", "manifest", cwd=project)
    (package / "hermes-plugin.json").rename(package.parent / "hermes-plugin.json")
    assert "manifest.outside" in rules(workshop.run("plugin", "check", "--json", cwd=project))


def test_a_manifest_that_is_not_json_is_remarked_on(workshop: Workshop) -> None:
    (workshop.install() / "hermes-plugin.json").write_text("[", encoding="utf-8")
    assert "manifest.broken" in rules(workshop.run("plugin", "check", "coin", "--json"))


def test_an_unknown_plugin_is_wrong_usage(workshop: Workshop) -> None:
    outcome = workshop.run("plugin", "check", "nobody")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "There is no plugin, distribution, package or directory 'nobody'." in outcome.stderr


def test_check_reports_unclean_text_and_definitions_that_are_too_large(bare: Run, tmp_path: Path) -> None:
    head = "from hermes_core import Tool, hookimpl\n\n@hookimpl\ndef hermes_tools():\n    schema = {'name': 'chat', "
    tail = "}\n    return [Tool.from_schema(schema, lambda args: '{}', toolset='talk', effects=['read'])]\n"
    unclean, large = tmp_path / "unclean.py", tmp_path / "large.py"
    unclean.write_text(f"{head}'description': 'Talk to a person \\u202e now.'{tail}", encoding="utf-8")
    large.write_text(f"{head}'description': 'Talk to a person. ' * 2000{tail}", encoding="utf-8")
    found = bare("plugin", "check", str(unclean))
    assert (found.returncode, "[text.unclean]" in found.stdout, "\u202e" in found.stdout) == (1, True, False)
    found = bare("plugin", "check", str(large))
    assert found.returncode == 1
    assert "its description has 36,000 bytes, and 16,384 are the limit." in found.stdout
