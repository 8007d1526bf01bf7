"""Plugins add commands to `hermes`: listed without importing them, run like any other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

import pytest


class Workshop(Protocol):
    """What the fixture of that name gives."""

    folder: Path
    home: Path
    environment: dict[str, str]
    install: Callable[..., Path]
    run: Callable[..., CompletedProcess[str]]
    write_manifest: Callable[..., None]


PRINTS = "the plugin prints while it is imported"
SILENT = """
import click
from hermes_core import hookimpl

print("the plugin prints while it is imported")

@click.command("whisper")
def whisper():
    '''Say it quietly.'''
    click.echo("psst")

@hookimpl
def hermes_commands():
    return [whisper]
"""
LOUD = """
import click
from hermes_core import hookimpl

@click.group("loud")
def loud():
    '''Commands that make noise.'''

@loud.command()
@click.pass_context
def leave(ctx):
    '''Leave with a status.'''
    ctx.exit(9)

@loud.command("break")
def break_():
    '''Break down.'''
    raise ValueError("too loud")

@click.command("tools")
def tools():
    '''Take the place of a command.'''
    click.echo("stolen")

@hookimpl
def hermes_commands():
    return [loud, tools]
"""


@pytest.fixture
def coin(workshop: Workshop) -> Path:
    """The package of a plugin with a manifest, which names the command `flip`."""
    package = workshop.install()
    workshop.write_manifest()
    return package


def plugin_part(outcome: CompletedProcess[str]) -> str:
    """What the help says below its own commands."""
    assert outcome.returncode == 0
    return outcome.stdout.partition("Plugin commands:\n")[2]


def refusal(outcome: CompletedProcess[str]) -> str:
    """The one line that says why a run was refused."""
    assert (outcome.returncode, outcome.stdout) == (2, "")
    (line,) = (line for line in outcome.stderr.splitlines() if line != PRINTS)
    assert line.startswith("hermes: error: ")
    return line


# -- listing ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("coin")
def test_the_help_lists_them_without_importing_the_plugin(workshop: Workshop) -> None:
    outcome = workshop.run("--help")
    assert plugin_part(outcome).splitlines()[0] == "  flip  Flip a coin on the command line."
    assert outcome.stderr == ""
    assert "without a manifest" not in outcome.stdout


def test_the_help_names_plugins_that_cannot_be_asked_without_running_them(workshop: Workshop, coin: Path) -> None:
    workshop.install(SILENT, name="quiet")
    (workshop.home / "plugins").mkdir(parents=True)
    (workshop.home / "plugins" / "mine.py").write_text("raise SystemExit(1)", encoding="utf-8")
    (workshop.folder / ".hermes" / "plugins").mkdir(parents=True)
    (workshop.folder / ".hermes" / "plugins" / "stranger.py").write_text("raise SystemExit(1)", encoding="utf-8")
    outcome = workshop.run("--help")
    assert "Plugins without a manifest may add more: quiet, mine\n" in outcome.stdout
    assert outcome.stderr == ""
    workshop.run("plugins", "trust")
    assert "may add more: quiet, mine, stranger\n" in workshop.run("--help").stdout


@pytest.mark.parametrize(
    ("config", "variable"),
    [("plugins: {disabled: [coin]}", ""), ("plugins: {enabled: []}", ""), ("", "other"), ("plugins: [", "")],
)
def test_plugins_that_are_turned_off_add_none_and_a_broken_config_none_at_all(
    workshop: Workshop, coin: Path, config: str, variable: str
) -> None:
    workshop.home.mkdir(exist_ok=True)
    (workshop.home / "config.yaml").write_text(config, encoding="utf-8")
    outcome = workshop.run("--help", HERMES_PLUGINS=variable)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert "flip" not in outcome.stdout
    assert "flip" not in workshop.run("flip", "3", HERMES_PLUGINS=variable).stdout


def test_a_wrong_setting_is_not_what_help_is_about(workshop: Workshop, coin: Path) -> None:
    workshop.home.mkdir(exist_ok=True)
    (workshop.home / "config.yaml").write_text("plugins: {disabld: [x]}", encoding="utf-8")
    outcome = workshop.run("--help")
    assert outcome.stderr == ""
    assert "flip" in plugin_part(outcome)


def test_a_plugin_for_another_version_of_the_api_adds_none(workshop: Workshop, coin: Path) -> None:
    file = coin / "hermes-plugin.json"
    file.write_text(file.read_text("utf-8").replace(">=1.0,<2", ">=7"), encoding="utf-8")
    assert "flip" not in workshop.run("--help").stdout


def test_a_help_text_cannot_steer_the_terminal(workshop: Workshop, coin: Path) -> None:
    file = coin / "hermes-plugin.json"
    file.write_text(file.read_text("utf-8").replace("Flip a coin", "\\u001b[2JFlip a\\ncoin"), encoding="utf-8")
    text = workshop.run("--help").stdout
    assert "\x1b" not in text
    assert "[2JFlip a coin" in text


# -- running ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("coin")
def test_they_run_and_stdout_is_theirs_alone(workshop: Workshop) -> None:
    outcome = workshop.run("flip", "3")
    assert (outcome.returncode, outcome.stdout) == (0, "flipped 3 times\n")
    assert outcome.stderr == f"{PRINTS}\n"


@pytest.mark.usefixtures("coin")
def test_they_have_help_and_take_debug(workshop: Workshop) -> None:
    text = workshop.run("flip", "-h").stdout
    assert text.startswith("Usage: hermes flip [OPTIONS] TIMES\n\n  Flip a coin on the command line.\n")
    assert "--debug" in text
    wrong = refusal(workshop.run("flip", "many"))
    assert "'many' is not a valid integer. See 'hermes flip --help'." in wrong
    assert workshop.run("flip", "2", "--debug").stdout == "flipped 2 times\n"


def test_those_of_plugins_without_a_manifest_run_too(workshop: Workshop) -> None:
    workshop.install(SILENT, name="quiet")
    outcome = workshop.run("whisper")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "psst\n", f"{PRINTS}\n")


def test_groups_end_with_their_own_status_and_break_in_one_line(workshop: Workshop) -> None:
    workshop.install(LOUD, name="loud")
    assert workshop.run("loud", "leave").returncode == 9
    broken = workshop.run("loud", "break")
    assert broken.returncode == 70
    assert broken.stderr == "hermes: error: unexpected ValueError: too loud (run with --debug for the traceback)\n"
    assert "Traceback" in workshop.run("loud", "break", "--debug").stderr
    assert "Commands that make noise." in workshop.run("loud").stdout


def test_no_plugin_takes_the_place_of_a_built_in_command(workshop: Workshop) -> None:
    workshop.install(LOUD, name="loud")
    workshop.write_manifest("loud")
    assert "stolen" not in workshop.run("tools").stdout
    text = workshop.run("--help")
    assert "Take the place" not in text.stdout
    assert "loud" in plugin_part(text)


def test_a_plugin_that_cannot_be_imported_is_one_clear_line(workshop: Workshop, coin: Path) -> None:
    (coin / "__init__.py").write_text("import no_such_module_anywhere\n", encoding="utf-8")
    assert "flip" in plugin_part(workshop.run("--help"))
    line = refusal(workshop.run("flip", "3"))
    assert "no_such_module_anywhere" in line
    assert "Install what provides the module" in line


def test_a_command_that_is_only_in_the_manifest_says_so(workshop: Workshop, coin: Path) -> None:
    module = coin / "__init__.py"
    module.write_text(module.read_text("utf-8").replace('"flip"', '"flop"'), encoding="utf-8")
    line = refusal(workshop.run("flip", "3"))
    assert "flip" in line
    assert "hermes plugin manifest" in line


@pytest.mark.usefixtures("coin")
def test_a_mistyped_name_is_answered_with_theirs_too_and_imports_nothing(workshop: Workshop) -> None:
    outcome = workshop.run("flipp")
    assert outcome.stderr == ("hermes: error: There is no command 'flipp'. Did you mean 'flip'? See 'hermes --help'.\n")
    assert refusal(outcome)


def test_an_unknown_name_may_be_that_of_a_broken_plugin(workshop: Workshop) -> None:
    workshop.install("import no_such_module_anywhere\n", name="quiet")
    line = refusal(workshop.run("whisper"))
    assert line.startswith("hermes: error: There is no command 'whisper'.")
    assert "Plugins with a problem: quiet; 'hermes plugins' says more." in line


def test_with_broken_settings_an_unknown_name_is_still_an_unknown_name(workshop: Workshop, coin: Path) -> None:
    workshop.home.mkdir(exist_ok=True)
    (workshop.home / "config.yaml").write_text("plugins: [", encoding="utf-8")
    line = refusal(workshop.run("tolls"))
    assert "There is no command 'tolls'. Did you mean 'tools'" in line
    assert f"Plugins could not be asked: {workshop.home / 'config.yaml'}" in line


# -- completing ------------------------------------------------------------------------------------------------------


def completed(workshop: Workshop, *words: str) -> list[str]:
    """What a shell is suggested for the last of some words."""
    about = {"_HERMES_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    outcome = workshop.run(**about)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    return [line for line in outcome.stdout.splitlines() if line]


def test_names_are_completed_without_importing_anything(workshop: Workshop, coin: Path) -> None:
    (coin / "__init__.py").write_text("raise SystemExit(1)", encoding="utf-8")
    names = [line.removeprefix("plain,") for line in completed(workshop, "hermes", "")]
    assert names[0] == "demo"
    assert "flip" in names
    assert completed(workshop, "hermes", "fl") == ["plain,flip"]
    assert completed(workshop, "hermes", "plugin") == ["plain,plugins"]
    assert "plain,--version" in completed(workshop, "hermes", "--")
    assert completed(workshop, "hermes", "flip", "") == []


def test_completing_a_name_imports_no_command(workshop: Workshop) -> None:
    folder = workshop.folder / "spy"
    folder.mkdir()
    spy = "import atexit, sys\natexit.register(lambda: open('loaded', 'w').write(' '.join(sys.modules)))\n"
    (folder / "sitecustomize.py").write_text(spy, encoding="utf-8")
    workshop.environment["PYTHONPATH"] += f":{folder}"
    completed(workshop, "hermes", "to")
    loaded = (workshop.folder / "loaded").read_text("utf-8").split()
    assert "hermes_core.cli.main" in loaded
    assert not {"hermes_core.cli.tools", "hermes_core.cli.toolsets", "hermes_core.host"} & set(loaded)


def test_names_of_plugins_are_completed_where_they_are_asked_for(workshop: Workshop, coin: Path) -> None:
    assert completed(workshop, "hermes", "plugins", "") == ["plain,coin", "plain,show", "plain,trust"]
    assert completed(workshop, "hermes", "plugins", "trust", "") == ["dir,"]


# -- below groups ----------------------------------------------------------------------------------------------------

BELOW = """
import click
from hermes_core import hookimpl

print("the plugin prints while it is imported")

@click.command("tools tidy")
@click.argument("times", type=int)
def tidy(times):
    '''Tidy the tools up.'''
    click.echo(f"tidied {times} times")
    return 7

@click.command("hooks show")
def show():
    '''Take the place of a command.'''
    click.echo("stolen")

@click.command("hooks polish")
def polish():
    '''Polish the hooks.'''
    click.echo("polished")

@click.command("loud hush")
def hush():
    '''Calm a group of another plugin.'''
    click.echo("hush")

@hookimpl
def hermes_commands():
    return [tidy, show, polish, hush]
"""


@pytest.fixture
def below(workshop: Workshop) -> Path:
    """The package of a plugin with a manifest, whose commands are below groups."""
    package = workshop.install(BELOW, name="below")
    workshop.write_manifest("below")
    return package


def test_the_help_of_a_group_lists_them_without_importing_the_plugin(workshop: Workshop, below: Path) -> None:
    (below / "__init__.py").write_text("raise SystemExit(1)", encoding="utf-8")
    outcome = workshop.run("tools", "--help")
    assert "tidy  Tidy the tools up." in outcome.stdout
    assert outcome.stderr == ""
    assert "polish  Polish the hooks." in workshop.run("hooks", "--help").stdout
    assert "tidy" not in workshop.run("--help").stdout


@pytest.mark.parametrize("manifest", [True, False])
def test_they_run_below_groups_and_other_words_of_the_group_stay(workshop: Workshop, manifest: bool) -> None:
    workshop.install(BELOW, name="below")
    if manifest:
        workshop.write_manifest("below")
    outcome = workshop.run("tools", "tidy", "3", "--debug")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "tidied 3 times\n", f"{PRINTS}\n")
    assert workshop.run("hooks", "polish").stdout == "polished\n"
    assert workshop.run("tools", "tidy", "-h").stdout.startswith("Usage: hermes tools tidy [OPTIONS] TIMES\n")
    assert '"tools"' in workshop.run("tools", "--json").stdout
    assert "No such command 'tidi'" in refusal(workshop.run("tools", "tidi"))


def test_they_never_replace_a_command_of_the_group(workshop: Workshop, below: Path) -> None:
    outcome = workshop.run("hooks", "show", "pre_tool_call")
    assert "stolen" not in outcome.stdout
    assert "hermes_pre_tool_call(" in outcome.stdout
    assert "Take the place" not in workshop.run("hooks", "--help").stdout


def test_a_group_of_another_plugin_takes_them_too(workshop: Workshop, below: Path) -> None:
    workshop.install(LOUD, name="loud")
    assert workshop.run("loud", "hush").stdout == "hush\n"
    assert workshop.run("loud", "leave").returncode == 9
    assert "hush   Calm a group of another plugin." in workshop.run("loud", "--help").stdout


def test_names_below_groups_are_completed_without_importing_anything(workshop: Workshop, below: Path) -> None:
    (below / "__init__.py").write_text("raise SystemExit(1)", encoding="utf-8")
    assert completed(workshop, "hermes", "tools", "ti") == ["plain,tidy"]
    assert completed(workshop, "hermes", "tools", "tidy", "") == []
    assert "plain,polish" in completed(workshop, "hermes", "hooks", "po")


def test_a_name_of_three_words_is_refused(workshop: Workshop) -> None:
    workshop.install(BELOW.replace("tools tidy", "tools tidy up"), name="below")
    line = workshop.run("plugins", "below").stdout
    assert "not NAME or GROUP NAME" in " ".join(line.split())
