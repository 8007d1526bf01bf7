"""`hermes plugin manifest` writes down what a plugin brings, and says whether what is written still holds."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

import pytest


class Workshop(Protocol):
    """What the fixture of that name gives."""

    folder: Path
    site: Path
    project: Callable[..., Path]
    declare: Callable[[Path, str], None]
    package: Callable[..., Path]
    install: Callable[..., Path]
    run: Callable[..., CompletedProcess[str]]


FILE = "hermes-plugin.json"
POLICY = """
from hermes_core import hookimpl

@hookimpl
def hermes_pre_tool_call(call):
    return None
"""


def one_line(outcome: CompletedProcess[str]) -> str:
    """The only line on stderr beside what the plugin prints, of a run that was refused."""
    assert (outcome.returncode, outcome.stdout) == (2, "")
    lines = [line for line in outcome.stderr.splitlines() if "prints while" not in line]
    assert len(lines) == 1, outcome.stderr
    assert lines[0].startswith("hermes: error: ")
    return lines[0]


# -- writing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("src", ["src", "."])
def test_the_project_in_the_current_folder_gets_its_manifest(workshop: Workshop, src: str) -> None:
    project = workshop.project(src=src)
    outcome = workshop.run("plugin", "manifest", cwd=project)
    file = project / src / "hermes_tools_coin" / FILE
    shown = file.relative_to(project)
    assert (outcome.returncode, outcome.stdout) == (0, f"Wrote {shown}: 1 tool, 1 command, 2 hooks.\n")
    manifest = json.loads(file.read_bytes())
    assert (manifest["plugin"], manifest["hooks"]) == ("coin", ["hermes_tools", "hermes_commands"])
    assert [tool["name"] for tool in manifest["tools"]] == ["toss_coin"]
    assert manifest["commands"] == [{"name": "flip", "help": "Flip a coin on the command line."}]
    assert stat.S_IMODE(file.stat().st_mode) & 0o044, "others must be able to read what is shipped"


def test_what_is_up_to_date_is_not_written_again(workshop: Workshop) -> None:
    project = workshop.project()
    workshop.run("plugin", "manifest", cwd=project)
    file = project / "src" / "hermes_tools_coin" / FILE
    os.utime(file, (1, 1))
    outcome = workshop.run("plugin", "manifest", cwd=project)
    assert outcome.stdout == f"{file.relative_to(project)} is up to date.\n"
    assert file.stat().st_mtime == 1


def test_what_changed_is_said_and_written(workshop: Workshop) -> None:
    project = workshop.project()
    workshop.run("plugin", "manifest", cwd=project)
    module = project / "src" / "hermes_tools_coin" / "__init__.py"
    module.write_text(module.read_text("utf-8").replace("toss_coin", "throw_coin"), encoding="utf-8")
    outcome = workshop.run("plugin", "manifest", cwd=project)
    assert "which was stale:" in outcome.stdout
    assert "tool 'throw_coin' is not in it." in outcome.stdout
    assert "tool 'toss_coin' is in it, but not in the code." in outcome.stdout
    assert "up to date" in workshop.run("plugin", "manifest", cwd=project).stdout


def test_the_text_does_not_depend_on_where_and_how_it_is_made(workshop: Workshop) -> None:
    project = workshop.project()
    package = workshop.install()
    workshop.run("plugin", "manifest", cwd=project, PYTHONHASHSEED="1", LC_ALL="C", COLUMNS="40", TZ="Asia/Tokyo")
    workshop.run("plugin", "manifest", "coin", PYTHONHASHSEED="2", HOME="/nowhere")
    assert (project / "src" / "hermes_tools_coin" / FILE).read_bytes() == (package / FILE).read_bytes()


@pytest.mark.parametrize("word", ["coin", "hermes-tools-coin", "HERMES.tools_coin", "hermes_tools_coin"])
def test_a_plugin_is_known_by_its_name_its_distribution_or_its_package(workshop: Workshop, word: str) -> None:
    package = workshop.install()
    assert workshop.run("plugin", "manifest", word).returncode == 0
    assert json.loads((package / FILE).read_bytes())["plugin"] == "coin"


def test_a_project_is_known_by_its_folder(workshop: Workshop) -> None:
    project = workshop.project()
    for word in ("project", "./project", str(project)):
        outcome = workshop.run("plugin", "manifest", word)
        assert outcome.returncode == 0
    assert outcome.stdout == "project/src/hermes_tools_coin/hermes-plugin.json is up to date.\n"


def test_the_code_of_a_project_counts_more_than_what_is_installed(workshop: Workshop) -> None:
    workshop.install()
    project = workshop.project(POLICY)
    workshop.run("plugin", "manifest", cwd=project)
    manifest = json.loads((project / "src" / "hermes_tools_coin" / FILE).read_bytes())
    assert manifest["hooks"] == ["hermes_pre_tool_call"]


def test_in_a_project_its_plugins_names_mean_the_code_at_hand(workshop: Workshop) -> None:
    package = workshop.install()
    project = workshop.project(plugins='coin = "hermes_tools_coin"\nother = "hermes_tools_coin"')
    for word in ("coin", "Hermes_Tools_Coin"):
        assert workshop.run("plugin", "manifest", word, cwd=project).returncode == 0
    assert not (package / FILE).exists()
    assert (project / "src" / "hermes_tools_coin" / FILE).exists()
    assert json.loads(workshop.run("plugin", "manifest", "other", "--stdout", cwd=project).stdout)["plugin"] == "other"


def test_several_plugins_of_one_package_have_a_file_each(workshop: Workshop) -> None:
    plugins = 'policy = "hermes_tools_coin.policy"\ncoin = "hermes_tools_coin"'
    project = workshop.project(plugins=plugins)
    package = project / "src" / "hermes_tools_coin"
    (package / "policy.py").write_text(POLICY, encoding="utf-8")
    outcome = workshop.run("plugin", "manifest", "--json", cwd=project)
    rows = json.loads(outcome.stdout)["manifests"]
    assert [(row["plugin"], Path(row["file"]).name, row["state"]) for row in rows] == [
        ("coin", FILE, "written"),
        ("policy", "hermes-plugin.policy.json", "written"),
    ]
    assert workshop.run("plugin", "manifest", "--check", cwd=project).returncode == 0
    assert json.loads((package / "hermes-plugin.policy.json").read_bytes())["plugin"] == "policy"


def test_who_has_the_first_file_keeps_it_when_another_plugin_comes(workshop: Workshop) -> None:
    project = workshop.project()
    package = project / "src" / "hermes_tools_coin"
    workshop.run("plugin", "manifest", cwd=project)
    (package / "policy.py").write_text(POLICY, encoding="utf-8")
    workshop.declare(project, 'a_policy = "hermes_tools_coin.policy"\ncoin = "hermes_tools_coin"')
    workshop.run("plugin", "manifest", cwd=project)
    assert json.loads((package / FILE).read_bytes())["plugin"] == "coin"
    assert json.loads((package / "hermes-plugin.a_policy.json").read_bytes())["plugin"] == "a_policy"


def test_in_a_namespace_the_manifest_lies_beside_the_plugins_own_code(workshop: Workshop) -> None:
    (workshop.site / "hermes_shared" / "other").mkdir(parents=True)
    project = workshop.folder / "project"
    workshop.package(project / "src" / "hermes_shared", POLICY, "mine")
    workshop.declare(project, 'mine = "hermes_shared.mine"')
    outcome = workshop.run("plugin", "manifest", cwd=project)
    assert outcome.stdout == "Wrote src/hermes_shared/mine/hermes-plugin.json: 1 hook.\n"


def test_a_manifest_that_is_not_json_is_written_anew(workshop: Workshop) -> None:
    project = workshop.project()
    file = project / "src" / "hermes_tools_coin" / FILE
    file.write_text("{", encoding="utf-8")
    outcome = workshop.run("plugin", "manifest", cwd=project)
    assert outcome.returncode == 0
    assert "is not JSON" in outcome.stdout
    assert json.loads(file.read_bytes())["plugin"] == "coin"


# -- checking --------------------------------------------------------------------------------------------------------


def test_a_check_writes_nothing_and_tells_by_its_exit_status(workshop: Workshop) -> None:
    project = workshop.project()
    file = project / "src" / "hermes_tools_coin" / FILE
    missing = workshop.run("plugin", "manifest", "--check", cwd=project)
    assert (missing.returncode, file.exists()) == (1, False)
    assert "is missing. Run 'hermes plugin manifest'." in missing.stdout
    workshop.run("plugin", "manifest", cwd=project)
    assert workshop.run("plugin", "manifest", "--check", cwd=project).returncode == 0
    before = file.read_text("utf-8").replace("Toss a coin", "Lose a coin")
    file.write_text(before, encoding="utf-8")
    stale = workshop.run("plugin", "manifest", "--check", cwd=project)
    assert (stale.returncode, file.read_text("utf-8")) == (1, before)
    assert "tool 'toss_coin' differs in its description." in stale.stdout
    row = json.loads(workshop.run("plugin", "manifest", "--check", "--json", cwd=project).stdout)["manifests"][0]
    assert (row["plugin"], row["file"], row["state"]) == ("coin", str(file), "stale")
    assert row["differences"] == ["tool 'toss_coin' differs in its description."]


def test_a_file_that_is_only_laid_out_otherwise_is_stale_too(workshop: Workshop) -> None:
    project = workshop.project()
    workshop.run("plugin", "manifest", cwd=project)
    file = project / "src" / "hermes_tools_coin" / FILE
    file.write_text(json.dumps(json.loads(file.read_bytes())), encoding="utf-8")
    assert "formatted differently" in workshop.run("plugin", "manifest", "--check", cwd=project).stdout
    file.unlink()
    workshop.run("plugin", "manifest", cwd=project)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))  # as a checkout on Windows has it
    assert workshop.run("plugin", "manifest", "--check", cwd=project).returncode == 0


def test_the_manifest_can_be_printed_instead(workshop: Workshop) -> None:
    project = workshop.project()
    outcome = workshop.run("plugin", "manifest", "--stdout", cwd=project)
    file = project / "src" / "hermes_tools_coin" / FILE
    assert not file.exists()
    assert "prints while" in outcome.stderr
    workshop.run("plugin", "manifest", cwd=project)
    assert outcome.stdout == file.read_text("utf-8")


# -- what cannot be --------------------------------------------------------------------------------------------------


def test_without_a_project_it_says_what_to_name(workshop: Workshop) -> None:
    line = one_line(workshop.run("plugin", "manifest"))
    assert "pyproject.toml" in line
    assert "Name a plugin, a distribution, a package, or the directory of a project" in line


def test_a_project_without_a_plugin_is_told_the_table_it_needs(workshop: Workshop) -> None:
    project = workshop.project(plugins="")
    line = one_line(workshop.run("plugin", "manifest", cwd=project))
    assert '[project.entry-points."hermes.plugins"]' in line
    (project / "pyproject.toml").write_text("not toml", encoding="utf-8")
    assert "is not TOML" in one_line(workshop.run("plugin", "manifest", cwd=project))


def test_a_project_without_its_package_is_told_where_it_was_looked_for(workshop: Workshop) -> None:
    project = workshop.project(plugins='coin = "hermes_tools_elsewhere"')
    line = one_line(workshop.run("plugin", "manifest", cwd=project))
    assert "'hermes_tools_elsewhere' is neither in src nor in" in line
    assert "pip install -e ." in line


def test_a_plugin_that_cannot_be_imported_says_why_and_writes_nothing(workshop: Workshop) -> None:
    project = workshop.project("import no_such_module_anywhere\n", plugins='coin = "hermes_tools_coin"')
    line = one_line(workshop.run("plugin", "manifest", cwd=project))
    assert "No module named 'no_such_module_anywhere'" in line
    assert "Install what provides the module" in line
    assert not (project / "src" / "hermes_tools_coin" / FILE).exists()
    assert "Traceback" in workshop.run("plugin", "manifest", "--debug", cwd=project).stderr


def test_a_single_module_is_told_to_become_a_package(workshop: Workshop) -> None:
    project = workshop.folder / "project"
    workshop.declare(project, 'solo = "hermes_solo"')
    (project / "hermes_solo.py").write_text(POLICY, encoding="utf-8")
    line = one_line(workshop.run("plugin", "manifest", cwd=project))
    assert "'hermes_solo' is a single module" in line
    assert "Move hermes_solo.py to hermes_solo/__init__.py." in line
    assert "single file has no manifest" in one_line(workshop.run("plugin", "manifest", "project/hermes_solo.py"))


def test_a_place_that_cannot_be_written_is_one_line(workshop: Workshop) -> None:
    project = workshop.project()
    (project / "src" / "hermes_tools_coin" / FILE).mkdir()
    assert "Is a directory" in one_line(workshop.run("plugin", "manifest", cwd=project))


def test_a_full_or_closed_folder_is_one_line(workshop: Workshop) -> None:
    package = workshop.project() / "src" / "hermes_tools_coin"
    (package / FILE).symlink_to("/proc/nowhere/hermes-plugin.json")  # where not even root may write
    line = one_line(workshop.run("plugin", "manifest", "project"))
    assert f"{package / FILE} cannot be written (" in line


def test_an_unknown_name_is_answered_with_those_that_come_close(workshop: Workshop) -> None:
    workshop.install()
    assert "Did you mean 'coin'" in one_line(workshop.run("plugin", "manifest", "coim"))


def test_several_manifests_are_not_printed_into_one_stream(workshop: Workshop) -> None:
    project = workshop.project(plugins='a = "hermes_tools_coin"\nb = "hermes_tools_coin"')
    assert "choose one of a, b" in one_line(workshop.run("plugin", "manifest", "--stdout", cwd=project))
    assert "cannot be combined" in one_line(workshop.run("plugin", "manifest", "--stdout", "--check", cwd=project))
