"""Tab completes in real shells; what plugins do meanwhile never reaches the line that somebody is typing."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from hermes_core.cli.completion import SHELLS, script

Run = Callable[..., CompletedProcess[str]]
Complete = Callable[..., list[str]]

SCRIPT = Path(sys.executable).with_name("hermes")
LOADING = {
    "bash": 'eval "$(hermes completion bash)"',
    "zsh": 'eval "$(hermes completion zsh)"',
    "fish": "hermes completion fish | source",
}
"""The lines that the help tells people to write."""

NOISY = """
import os, pathlib, subprocess, sys, warnings
from hermes_core import hookimpl, tool

pathlib.Path(os.environ["NOISY_MARK"]).touch()
print("printed")
print("printed", file=sys.stderr)
os.write(1, b"written")
os.write(2, b"written")
subprocess.run(["echo", "echoed"])
warnings.warn("warned")

@tool(toolset="noise")
def make_noise() -> str:
    '''Make noise, and
    more of it.'''
    return ""

@hookimpl
def hermes_tools():
    return [make_noise]
"""

DECLARING = """
from hermes_core import hookimpl

@hookimpl
def hermes_settings():
    secret = {"type": "string", "writeOnly": True}
    return {"extra": {"type": "object", "properties": {"place": {"type": "string"}, "token": secret}}}
"""


def needs(shell: str) -> str:
    """The shell's path; without it the test is skipped."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed (Debian package: {shell})")
    return found


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment of a shell in which `hermes` is this interpreter's, and the user has no settings of their own."""
    folder = tmp_path / "user"
    folder.mkdir()
    own = {"HOME", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"}
    return environment | dict.fromkeys(own, str(folder)) | {"PATH": f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture
def plugin(environment: dict[str, str], tmp_path: Path) -> Callable[[str], Path]:
    """Installs a plugin of the given source, and gives the file that it may touch."""

    def install(source: str) -> Path:
        folder, mark = tmp_path / "more", tmp_path / "mark"
        info = folder / "hermes_tools_extra-1.dist-info"
        info.mkdir(parents=True)
        (folder / "hermes_completion_test_extra.py").write_text(source, encoding="utf-8")
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hermes-tools-extra\nVersion: 1\n", "utf-8")
        (info / "entry_points.txt").write_text("[hermes.plugins]\nextra = hermes_completion_test_extra\n", "utf-8")
        environment["PYTHONPATH"] += f"{os.pathsep}{folder}"
        environment["NOISY_MARK"] = str(mark)
        return mark

    return install


@pytest.fixture
def asked(environment: dict[str, str]) -> Complete:
    """What the command answers to a shell that completes the last of some words."""

    def ask(*words: str) -> list[str]:
        about = {"_HERMES_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
        done = subprocess.run(
            [SCRIPT], env=environment | about, capture_output=True, encoding="utf-8", timeout=60, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        lines = done.stdout.splitlines()
        assert all(line.startswith("plain,") for line in lines if line)
        return [line.removeprefix("plain,") for line in lines if line]

    return ask


# -- the command -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell_is_printed(bare: Run, shell: str) -> None:
    outcome = bare("completion", shell)
    assert (outcome.returncode, outcome.stderr) == (0, "")
    assert outcome.stdout == script(shell)
    assert f"_HERMES_COMPLETE={shell}_complete" in outcome.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_is_known_from_the_variable(bare: Run, shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", f"/opt/some where/{shell}")
    assert bare("completion").stdout == script(shell)


@pytest.mark.parametrize("variable", [None, "", "/bin/sh", "/usr/bin/bash-static"])
def test_a_shell_that_cannot_be_told_is_asked_for(
    bare: Run, variable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if variable is None:
        monkeypatch.delenv("SHELL", raising=False)
    else:
        monkeypatch.setenv("SHELL", variable)
    outcome = bare("completion")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "bash, zsh, fish" in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_another_shell_is_refused_with_the_names_of_those_there_are(bare: Run) -> None:
    outcome = bare("completion", "tcsh")
    assert outcome.returncode == 2
    for shell in SHELLS:
        assert shell in outcome.stderr


def test_the_help_says_which_line_goes_into_which_file(bare: Run) -> None:
    text = bare("completion", "--help").stdout
    for file in ("~/.bashrc", "~/.zshrc", "~/.config/fish/completions/hermes.fish"):
        assert file in text
    for line in LOADING.values():
        assert f"\n    {line}\n" in text


# -- what the command answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("desc",), ["describe"]),
        (("too",), ["tools", "toolsets"]),
        (("tools", "--a"), ["--all"]),
        (("describe", "r"), ["roll_dice"]),
        (("call", "bu"), ["burn_dice", "buy_dice"]),
        (("why", "buy"), ["buy_dice"]),
        (("describe", "nothing_like_it"), []),
        (("describe", "roll_dice", "--format", "o"), ["openai"]),
        (("tools", "--toolset", "di"), ["dice"]),
        (("tools", "--toolset", "dice", "--toolset", "al"), ["all"]),
        (("call", "--toolset", "di"), ["dice"]),
        (("toolsets", "di"), ["dice"]),
        (("config", "ge"), ["get"]),
        (("config", "get", "resu"), ["results", "results.reader_tool"]),
        (("config", "set", "resu"), ["results.reader_tool"]),
        (("config", "unset", "resu"), []),
        (("hooks", "hermes_pre"), ["hermes_pre_tool_call"]),
        (("hooks", "pre"), ["pre_tool_call"]),
        (("hooks", "her"), None),
        (("completion", "z"), ["zsh"]),
    ],
)
def test_values_are_suggested_where_they_belong(
    asked: Complete, words: tuple[str, ...], values: list[str] | None
) -> None:
    found = asked("hermes", *words)
    assert len(found) > 9 if values is None else found == values


def test_what_is_in_the_file_can_be_taken_out(asked: Complete, home: Path) -> None:
    home.mkdir()
    text = 'results: {reader_tool: look}\nmine: {"a b": 1, plain: {deep: [1, 2]}}\n'
    (home / "config.yaml").write_text(text, encoding="utf-8")
    assert asked("hermes", "config", "unset", "") == [
        "results",
        "results.reader_tool",
        "mine",
        "mine.plain",
        "mine.plain.deep",
    ]
    assert asked("hermes", "config", "set", "mine.plain.") == ["mine.plain.deep"]


def test_what_a_plugin_declares_is_suggested_and_its_secrets_can_be_taken_out(
    asked: Complete, plugin: Callable[[str], Path], home: Path
) -> None:
    plugin(DECLARING)
    assert asked("hermes", "config", "set", "extra") == ["extra.place", "extra.token"]
    assert asked("hermes", "config", "unset", "") == []
    home.mkdir(exist_ok=True)  # what is installed may be remembered there
    (home / ".env").write_text("HERMES_EXTRA__TOKEN=secret\n", encoding="utf-8")
    assert asked("hermes", "config", "unset", "") == ["extra.token"]


def test_plugins_can_be_suggested(environment: dict[str, str]) -> None:
    script = (
        "import click; from hermes_core.cli.completion import plugin_names as names; command = click.Command('x');"
        "print([item.value for item in names(click.Context(command), click.Argument(['x']), 'd')])"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "['dice']\n"


def test_an_instruction_for_no_shell_fails_without_a_word(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [SCRIPT], env=environment | {"_HERMES_COMPLETE": "tcsh_complete"}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


# -- plugins and settings that are broken ----------------------------------------------------------------------------


def test_plugins_are_imported_only_for_values_that_they_bring(
    asked: Complete, plugin: Callable[[str], Path], home: Path
) -> None:
    mark = plugin(NOISY)
    for words in (
        ("",),
        ("desc",),
        ("--ver",),
        ("describe", "--"),
        ("config", ""),
        ("describe", "x", "--format", ""),
        ("hooks", ""),
        ("completion", ""),
    ):
        assert asked("hermes", *words) != []
    assert not mark.exists()
    assert asked("hermes", "describe", "make") == ["make_noise"]
    assert mark.exists()


def test_what_a_plugin_prints_is_not_suggested(asked: Complete, plugin: Callable[[str], Path]) -> None:
    plugin(NOISY)
    assert asked("hermes", "describe", "") == sorted(
        ["roll_dice", "buy_dice", "burn_dice", "watch_dice", "lose_dice", "make_noise"]
    )


@pytest.mark.parametrize(
    "source", ["import os; os._exit(3)", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"]
)
def test_a_plugin_that_ends_the_process_leaves_the_suggestions_of_the_others(
    asked: Complete, plugin: Callable[[str], Path], source: str
) -> None:
    plugin(source)
    assert asked("hermes", "describe", "roll") == ["roll_dice"]


def test_a_plugin_that_hangs_is_ended_with_all_that_it_started(asked: Complete, plugin: Callable[[str], Path]) -> None:
    pipe = plugin(
        "import os, subprocess, time\n"
        "pipe = open(os.environ['NOISY_MARK'], 'w')\n"
        "subprocess.Popen(['sh', '-c', 'echo started; sleep 60'], stdout=pipe)\n"
        "time.sleep(60)\n"
    )
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    started = time.monotonic()
    assert asked("hermes", "describe", "roll") == ["roll_dice"]
    assert time.monotonic() - started < 9  # a call would give the plugin ten seconds
    assert read_until(reading, None) == b"started\n"  # and then its end: nobody is left who could write
    os.close(reading)


@pytest.mark.parametrize("text", ["- a list\n", "plugins: [", "calls: {timeout: never}\n"])
def test_settings_that_cannot_be_used_leave_no_suggestions(asked: Complete, home: Path, text: str) -> None:
    home.mkdir()
    (home / "config.yaml").write_text(text, encoding="utf-8")
    assert asked("hermes", "describe", "") == []
    assert asked("hermes", "config", "get", "") == []
    assert asked("hermes", "desc") == ["describe"]


# -- shells ----------------------------------------------------------------------------------------------------------


def in_bash(environment: dict[str, str], *words: str, hermes: str = "hermes") -> list[str]:
    """What bash would offer for the last of some words, which are split as bash splits them."""
    script = (
        f"{LOADING['bash'].replace('hermes', hermes, 1)}\n"
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
        "complete -p hermes >&2\n"
        '_hermes_completion "$1" "${@: -1}" "${@: -2:1}"\n'
        'for each in "${COMPREPLY[@]}"; do echo "$each"; done\n'
    )
    command = [needs("bash"), "--norc", "-c", script, "bash", hermes, *words]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert done.stderr == "complete -o nosort -F _hermes_completion hermes\n"
    return done.stdout.splitlines()


def in_fish(environment: dict[str, str], line: str, hermes: str = "hermes", load: str = LOADING["fish"]) -> list[str]:
    """What fish would offer for a line, each with its description."""
    command = [needs("fish"), "-c", f"{load.replace('hermes', hermes, 1)}\ncomplete -C $argv[1]", f"{hermes} {line}"]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=60, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


ZSHRC = """
{load}
PS1='ready> '
show() {{ print -rn -- "$BUFFER" >| "$HOME/shown.part"; mv "$HOME/shown.part" "$HOME/shown"; exit }}
zle -N show
bindkey '^P' show
"""


def read_until(reading: int, end: bytes | None) -> bytes:
    """What is written on the other side until something stands in it, or until nobody is there to write."""
    screen = b""
    deadline = time.monotonic() + 30
    while end is None or end not in screen:
        ready, _, _ = select.select([reading], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, screen.decode(errors="replace")
        try:
            written = os.read(reading, 4096)
        except OSError:  # how Linux says of a terminal that nobody is there
            break
        if not written:
            break
        screen += written
    return screen


COMPINIT = "autoload -Uz compinit && compinit -u"


def in_zsh(environment: dict[str, str], line: str, hermes: str = "hermes", before: str = COMPINIT) -> str:
    """What becomes of a line that is typed into zsh when Tab is pressed after it."""
    shell = needs("zsh")
    user = Path(environment["HOME"])
    load = f"{before}\n{LOADING['zsh'].replace('hermes', hermes, 1)}"
    (user / ".zshrc").write_text(ZSHRC.format(load=load), encoding="utf-8")
    leader, follower = pty.openpty()
    shown = user / "shown"
    shown.unlink(missing_ok=True)
    try:
        with subprocess.Popen(
            [shell, "-d", "-i"],
            env=environment | {"TERM": "vt100"},
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
        ) as running:
            os.close(follower)
            try:
                screen = read_until(leader, b"ready> ")
                os.write(leader, f"{hermes} {line}\t\x10".encode())
                screen += read_until(leader, None)
            finally:
                running.kill()
    finally:
        os.close(leader)
    assert shown.exists(), screen.decode(errors="replace")
    return shown.read_text("utf-8").removeprefix(f"{hermes} ")


def test_bash_completes_commands_options_and_values(environment: dict[str, str]) -> None:
    assert in_bash(environment, "desc") == ["describe"]
    assert in_bash(environment, "tools", "--al") == ["--all"]
    assert in_bash(environment, "describe", "") == ["burn_dice", "buy_dice", "lose_dice", "roll_dice", "watch_dice"]
    assert in_bash(environment, "describe", "no_such") == []


def test_bash_completes_a_value_behind_an_equals_sign(environment: dict[str, str]) -> None:
    assert in_bash(environment, "describe", "x", "--format", "=", "op") == ["openai"]
    assert in_bash(environment, "describe", "x", "--format", "=") == ["anthropic", "mcp", "openai", "responses"]
    assert in_bash(environment, "tools", "--toolset", "=", "dice", "--toolset", "=", "di") == ["dice"]


def test_fish_completes_commands_options_and_values(environment: dict[str, str]) -> None:
    assert in_fish(environment, "desc") == ["describe\tShow everything about one tool."]
    assert [line.split("\t")[0] for line in in_fish(environment, "tools --al")] == ["--all"]
    assert in_fish(environment, "describe rol") == ["roll_dice\tRoll dice."]
    assert in_fish(environment, "describe no_such") == []


def test_fish_completes_a_value_behind_an_equals_sign(environment: dict[str, str]) -> None:
    assert in_fish(environment, "describe x --format=op") == ["--format=openai"]


def test_fish_shows_descriptions_to_their_end(environment: dict[str, str], plugin: Callable[[str], Path]) -> None:
    plugin(NOISY)
    assert in_fish(environment, "describe make") == ["make_noise\tMake noise, and"]


def test_fish_finds_the_script_in_its_folder_of_completions(environment: dict[str, str]) -> None:
    folder = Path(environment["XDG_CONFIG_HOME"], "fish", "completions")
    folder.mkdir(parents=True)
    (folder / "hermes.fish").write_text(LOADING["fish"], encoding="utf-8")
    assert in_fish(environment, "describe rol", load="") == ["roll_dice\tRoll dice."]


def test_zsh_completes_commands_options_and_values(environment: dict[str, str]) -> None:
    assert in_zsh(environment, "desc") == "describe "
    assert in_zsh(environment, "tools --al") == "tools --all "
    assert in_zsh(environment, "describe rol") == "describe roll_dice "
    assert in_zsh(environment, "describe no_such") == "describe no_such"


def test_zsh_needs_no_compinit_before_the_line(environment: dict[str, str]) -> None:
    assert in_zsh(environment, "describe rol", before="") == "describe roll_dice "


def test_zsh_completes_a_value_behind_an_equals_sign(environment: dict[str, str]) -> None:
    assert in_zsh(environment, "describe x --format=op") == "describe x --format=openai "


@pytest.mark.parametrize("shell", SHELLS)
def test_the_hermes_on_the_line_is_asked_wherever_it_lies(
    environment: dict[str, str], tmp_path: Path, shell: str
) -> None:
    wrong, right = tmp_path / "wrong", tmp_path / "user" / "right"
    for folder in (wrong, right):
        folder.mkdir()
    (wrong / "hermes").write_text("#!/bin/sh\necho noise\necho noise >&2\nexit 1\n", encoding="utf-8")
    (wrong / "hermes").chmod(0o755)
    (right / "hermes").symlink_to(SCRIPT)
    environment |= {"PATH": f"{wrong}{os.pathsep}{os.environ['PATH']}"}
    for path in (str(right / "hermes"), "~/right/hermes"):
        if shell == "bash":
            assert in_bash(environment, "describe", "rol", hermes=path) == ["roll_dice"]
        elif shell == "fish":
            assert in_fish(environment, "describe rol", hermes=path) == ["roll_dice\tRoll dice."]
        else:
            assert in_zsh(environment, "describe rol", hermes=path) == "describe roll_dice "


@pytest.mark.parametrize("shell", SHELLS)
def test_a_hermes_that_fails_leaves_the_line_as_it_is(environment: dict[str, str], tmp_path: Path, shell: str) -> None:
    wrong = tmp_path / "wrong"
    wrong.mkdir()
    # It prints its script, but cannot complete.
    source = f'#!/bin/sh\n[ -z "$_HERMES_COMPLETE" ] && exec {SCRIPT} "$@"\necho oh no >&2\nexit 1\n'
    (wrong / "hermes").write_text(source, encoding="utf-8")
    (wrong / "hermes").chmod(0o755)
    environment |= {"PATH": f"{wrong}{os.pathsep}{os.environ['PATH']}"}
    if shell == "bash":
        assert in_bash(environment, "desc") == []
    elif shell == "fish":
        assert in_fish(environment, "desc") == []
    else:
        assert in_zsh(environment, "desc") == "desc"


def test_the_script_can_be_had_as_json(bare: Run) -> None:
    told = json.loads(bare("completion", "fish", "--json").stdout)
    assert told["shell"] == "fish"
    assert told["script"] == bare("completion", "fish").stdout
