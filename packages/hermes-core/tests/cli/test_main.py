"""The command as a whole: help, version, errors in one line, and how a run ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import click
import pytest

import hermes_core
from hermes_core.cli.lazy import Entry
from hermes_core.cli.main import COMMANDS, hermes
from hermes_core.plugins.registration import CORE_COMMANDS

Run = Callable[..., CompletedProcess[str]]


HEAVY = ("rich", "pydantic", "anyio", "asyncio")


def modules_after(*args: str, prelude: str = "") -> set[str]:
    """The modules that a run of the command has imported."""
    script = f"import sys\n{prelude}\nfrom hermes_core.cli.main import main\nmain({list(args)!r})\n"
    script += "print('MODULES', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=30)
    return set(done.stdout.rpartition("MODULES ")[2].split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_heavy(option: str) -> None:
    assert modules_after(option).isdisjoint(HEAVY)


def test_the_command_itself_imports_no_host() -> None:
    folder = Path(hermes_core.__file__).parent
    # An empty façade in place of the real one, which imports the host on purpose.
    facade = "import types; sys.modules['hermes_core'] = facade = types.ModuleType('hermes_core')"
    prelude = f"{facade}; facade.__path__ = [{str(folder)!r}]"
    modules = modules_after("--help", prelude=prelude)
    assert "hermes_core.host" not in modules
    assert not [name for name in modules if name.startswith("hermes_core.cli.") and name.split(".")[2] in COMMANDS]


def test_a_listing_in_a_pipe_does_without_rich_pydantic_and_an_event_loop(home: Path) -> None:
    assert modules_after("tools").isdisjoint(HEAVY)


def test_without_arguments_the_help_is_printed(bare: Run) -> None:
    outcome = bare()
    assert outcome.returncode == 0
    assert outcome.stderr == ""
    for name, entry in COMMANDS.items():
        assert name in outcome.stdout
        assert entry.summary in outcome.stdout


def test_the_list_of_commands_says_what_each_command_says_of_itself() -> None:
    ctx = click.Context(hermes)
    for name, entry in COMMANDS.items():
        command = hermes.get_command(ctx, name)
        assert command is not None
        assert command.help is not None
        assert command.help.splitlines()[0] == entry.summary


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(bare: Run, name: str) -> None:
    outcome = bare(name, "--help")
    assert outcome.returncode == 0
    assert "--debug" in outcome.stdout
    assert COMMANDS[name].summary in outcome.stdout


def test_every_listing_command_speaks_json(bare: Run) -> None:
    for name in ("tools", "describe", "why", "toolsets", "plugins"):
        assert "--json" in bare(name, "--help").stdout


def test_the_version_is_that_of_the_distribution(bare: Run) -> None:
    from importlib.metadata import version

    assert bare("--version").stdout == f"hermes {version('hermes-core')}\n"


def test_the_version_does_not_look_for_plugins() -> None:
    assert not [name for name in modules_after("--version") if name.startswith("hermes_core.plugins")]


@pytest.mark.parametrize("name", ["config"])
def test_a_group_that_is_not_told_what_to_do_prints_its_help(bare: Run, name: str) -> None:
    outcome = bare(name)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout == bare(name, "--help").stdout


@pytest.mark.parametrize(("columns", "longest"), [("", 78), ("60", 58), ("500", 78), ("x", 78), ("10", 50)])
def test_the_help_is_as_wide_as_the_terminal_up_to_a_limit(process: Run, columns: str, longest: int) -> None:
    lines = process("--help", COLUMNS=columns).stdout.splitlines()
    assert max(map(len, lines)) <= longest


def test_python_dash_m_and_the_installed_script_are_the_same_command(process: Run) -> None:
    script = Path(sys.executable).with_name("hermes")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True, timeout=30)
    assert process("--version").stdout == done.stdout


def test_an_unknown_command_is_answered_with_near_names(bare: Run) -> None:
    outcome = bare("tolsets")
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("hermes: error: There is no command 'tolsets'. Did you mean 'toolsets'")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "args", [("tools", "--jsn"), ("describe",), ("--bogus",), ("describe", "x", "--format", "yaml")]
)
def test_wrong_usage_is_one_line_that_names_the_help(bare: Run, args: tuple[str, ...]) -> None:
    outcome = bare(*args)
    assert outcome.returncode == 2
    assert outcome.stderr.startswith("hermes: error: ")
    assert "--help'" in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_a_broken_config_is_one_line_with_file_and_line(bare: Run, home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("plugins:\n  disabled: [dice\nmore: 1\n", encoding="utf-8")
    outcome = bare("tools")
    assert outcome.returncode == 2
    assert outcome.stderr.startswith(f"hermes: error: {home / 'config.yaml'}:3:5: ")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize("args", [("--debug", "tools"), ("tools", "--debug")])
def test_debug_adds_the_traceback_wherever_it_stands(bare: Run, home: Path, args: tuple[str, ...]) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("- a list\n", encoding="utf-8")
    outcome = bare(*args)
    assert outcome.returncode == 2
    assert "Traceback (most recent call last)" in outcome.stderr
    assert outcome.stderr.splitlines()[-1].startswith("hermes: error: ")


@pytest.fixture
def exploding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of which nobody expected what it does."""
    source = (
        "import click\n"
        "@click.command()\n"
        "@click.argument('how')\n"
        "def command(how):\n"
        "    if how == 'os':\n"
        "        open('/no/such/folder/file')\n"
        "    if how == 'interrupt':\n"
        "        raise KeyboardInterrupt\n"
        "    raise TypeError('two\\nlines')\n"
    )
    (tmp_path / "hermes_cli_test_exploding.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(COMMANDS, "explode", Entry("hermes_cli_test_exploding", "Explode."))


@pytest.mark.usefixtures("exploding")
def test_an_unexpected_exception_is_one_line_that_names_debug(bare: Run) -> None:
    outcome = bare("explode", "now")
    assert outcome.returncode == 70
    assert outcome.stderr == "hermes: error: unexpected TypeError: two lines (run with --debug for the traceback)\n"
    assert "Traceback" in bare("explode", "now", "--debug").stderr


@pytest.mark.usefixtures("exploding")
def test_an_error_of_the_system_is_one_line_with_the_file(bare: Run) -> None:
    outcome = bare("explode", "os")
    assert outcome.returncode == 2
    assert outcome.stderr == "hermes: error: No such file or directory: /no/such/folder/file\n"


@pytest.mark.usefixtures("exploding")
def test_an_interrupt_ends_with_130_and_no_traceback(bare: Run) -> None:
    outcome = bare("explode", "interrupt")
    assert outcome.returncode == 130
    assert outcome.stderr.strip() == ""


def test_ctrl_c_ends_a_running_call_at_once(environment: dict[str, str], tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = [sys.executable, "-m", "hermes_core", "call", "watch_dice", "seconds=60", f"started={started}"]
    # A runner in the background ignores Ctrl-C, and what it starts would, too.
    heed = "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command[1:3] = ["-c", f"{heed}; runpy.run_module('hermes_core', run_name='__main__', alter_sys=True)"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        deadline = time.monotonic() + 20
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert out == ""
    assert "Traceback" not in err


def test_a_reader_that_goes_away_ends_the_command_without_a_word(environment: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "hermes_core", "toolsets"]
    done = subprocess.run(
        command, env=environment, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=30, check=False
    )
    os.close(writing)
    assert done.returncode == 141
    # Only what the plugins say of themselves is left on stderr.
    assert all("cracked" in line or "prints" in line for line in done.stderr.splitlines())


def test_a_broken_plugin_is_one_warning_line_and_the_others_work(hermes: Run) -> None:
    outcome = hermes("tools")
    warnings = [line for line in outcome.stderr.splitlines() if line.startswith("hermes: warning: ")]
    assert len(warnings) == 1
    assert "no_such_module_anywhere" in warnings[0]
    assert "Traceback" not in outcome.stderr
    assert "roll_dice" in outcome.stdout


def test_plugins_are_told_which_commands_are_taken() -> None:
    assert set(COMMANDS) == CORE_COMMANDS
