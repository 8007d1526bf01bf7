"""Judges programs that execute commands from fetched text without being interpreters."""

from collections.abc import Iterator
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.fetch_commands import fetcher, fetchers, source
from hermes_guard.rules.remote_code.programs import INPUTS, PACKAGE_MANAGERS
from hermes_guard.rules.remote_code.rules import FAMILY, PIPED, SUBSTITUTED
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_BY_FILE = frozenset({"-f", "-f-"})
#: How each program reads a script from its input; empty when it always does.
OBEYING: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "psql",
            "mysql",
            "mariadb",
            "sqlite3",
            "mongosh",
            "mongo",
            "sqlplus",
            "sqlcmd",
            "clickhouse-client",
            "redis-cli",
            "duckdb",
            "ed",
            "ex",
            "tclsh",
            "m4",
            "dc",
            "iptables-restore",
        ),
        frozenset[str](),
    ),
    **dict.fromkeys(("crontab", "ansible-playbook", "expect", "terraform", "docker"), INPUTS),
    **dict.fromkeys(("gmake", "oc", "awk", "gawk", "sed"), _BY_FILE),
    "gdb": frozenset({"-x"}),
    "kubectl": _BY_FILE | {"--filename=-"},
    "make": _BY_FILE | {"--file=-", "--makefile=-"},
    "nft": frozenset({"-f"}),
    "vim": frozenset({"-S", "-s"}),
}
#: Docker reads a whole set of containers from its input.
_DEPLOYS = frozenset({"compose", "stack"})
_FROM_INPUT = {("-f", "-"), ("-c", "-"), ("--file", "-"), ("--compose-file", "-")}
#: The file is the next word.
_BEFORE_FILE = frozenset({"-f", "-x", "-S", "-s"})
_GIVEN = re.compile(r"-[ce]|--(?:command|execute|eval)\b")


@FAMILY.judges(*OBEYING)
def obeying(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about fetched text as the script of such a program."""
    program = command.program or ""
    texts = [word.raw for word in command.args]
    if program == "docker" and not (
        (texts[:1] == ["build"] and texts[-1:] == ["-"])
        or (_DEPLOYS.issuperset(texts[:1]) and _FROM_INPUT & set(pairwise(texts)))
    ):
        return
    if program in {"kubectl", "oc"} and (
        not set(texts) & {"apply", "create", "replace", "delete"}
        or any(text.startswith("--dry-run") and not text.endswith("=none") for text in texts)
    ):
        return
    found = _substituted(command, texts)
    if found is not None:
        yield SUBSTITUTED.found(command, path=source(found))
    elif command.stdin is not None and command.stdin.file is None and _reads_input(program, texts):
        found = next((one for one in fetchers(command.stdin.commands, command) if one.program != "openssl"), None)
        if found is not None and not found.contained:
            yield PIPED.found(command, path=source(found))


def _substituted(command: Command, texts: list[str]) -> Command | None:
    """Return the fetching command in a substitution in place of a script."""
    program = command.program or ""
    wanted = OBEYING[program]
    anywhere = not wanted or program in {"crontab", "ansible-playbook"}
    for number, word in enumerate(command.args):
        before = texts[number - 1] if number else ""
        if word.process == "<" and (anywhere or before in wanted or before in {"-f", "--file"}):
            found = fetcher(word.commands, command)
            if found is not None:
                return found
    return None


def _reads_input(program: str, texts: list[str]) -> bool:
    wanted = OBEYING[program]
    if not wanted:
        return program == "redis-cli" or not any(_GIVEN.match(text) for text in texts)
    return any(
        text in wanted and (text not in _BEFORE_FILE or after in INPUTS)
        for text, after in zip(texts, [*texts[1:], ""], strict=False)
    )


@FAMILY.judges(*PACKAGE_MANAGERS)
def streamed(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about a package that is installed while it is fetched."""
    for word in command.args:
        found = fetcher(word.commands, command) if word.process == "<" else None
        if found is not None:
            yield SUBSTITUTED.found(command, path=source(found))
            return
