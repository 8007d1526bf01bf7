"""Parses the command line of `hermes-guard` and hands it to the command that was asked for."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from hermes_guard import __version__
from hermes_guard.cli.exits import USAGE

_DESCRIPTION = "Read shell commands the way a shell does, and say allow, ask or refuse. Nothing is ever run."
_EXITS = (
    "exit status: 0 allow, 2 ask, 3 refuse; 1 when a check finds differences; "
    "64 for wrong usage or a file that cannot be used; 74 when the output cannot be written"
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        from hermes_guard.cli.output import visible

        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {visible(message)}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    from hermes_guard.cli.streams import standard_streams

    with standard_streams() as stdout:
        try:
            status = run_command(arguments)
        except KeyboardInterrupt:
            return 130
        except OSError as error:
            if stdout.error is None:
                print(f"hermes-guard: {error}", file=sys.stderr)
            status = USAGE
        return stdout.close(status)


def run_command(arguments: Sequence[str] | None = None, *, prog: str = "hermes-guard") -> int:
    """Run the command line and return its exit status; errors of the output are raised."""
    try:
        options = _parser(prog).parse_args(arguments)
        run: Callable[[argparse.Namespace], int] = options.run
        return run(options)
    except SystemExit as end:  # how argparse ends after help and errors
        return end.code if isinstance(end.code, int) else USAGE


def _parser(prog: str) -> _Parser:
    parser = _Parser(prog=prog, description=_DESCRIPTION, epilog=_EXITS)
    parser.add_argument("--version", action="version", version=f"hermes-guard {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    explain = commands.add_parser("explain", help="say what a command would run, the rules hit and the verdict")
    explain.add_argument("text", metavar="COMMAND", help="the command, as one argument; - reads it from the input")
    explain.add_argument("--cwd", metavar="FOLDER", help="the folder that it would run in")
    _common(explain, _explain)

    check = commands.add_parser("check", help="judge a file of commands, one per line")
    check.add_argument("file", metavar="FILE", help="commands, or JSON objects with command and expect; - is the input")
    check.add_argument("--cwd", metavar="FOLDER", help="the folder that they would run in")
    _common(check, _check)

    path = commands.add_parser("path", help="say whether a file may be read or written")
    path.add_argument("op", choices=["read", "write"])
    path.add_argument("path", metavar="PATH")
    path.add_argument("--workspace", metavar="FOLDER", help="the project's folder, in which writing is ordinary")
    _common(path, _path)

    rules = commands.add_parser("rules", help="list every rule with its reason and examples")
    rules.add_argument("--check", action="store_true", help="try every rule on its examples")
    _common(rules, _rules, home=False)
    return parser


def _common(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int], *, home: bool = True) -> None:
    if home:
        parser.add_argument("--home", metavar="FOLDER", help="the home of the user")
    parser.add_argument("--rules", metavar="FILE", action="append", default=[], help="a TOML file with further rules")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_with_guard(run, parser))


def _with_guard(
    run: Callable[[argparse.Namespace], int], parser: argparse.ArgumentParser
) -> Callable[[argparse.Namespace], int]:
    def prepared(options: argparse.Namespace) -> int:
        from hermes_guard.guard import Guard
        from hermes_guard.rules.rule_files import RuleFileError

        try:
            options.guard = Guard(options.rules)
            return run(options)
        except (RuleFileError, OSError, UnicodeError) as error:
            if isinstance(error, OSError) and error.filename is None:  # no file but the output
                raise
            parser.error(str(error))

    return prepared


def _explain(options: argparse.Namespace) -> int:
    from hermes_guard.cli.explain import run

    return run(options)


def _check(options: argparse.Namespace) -> int:
    from hermes_guard.cli.check import run

    return run(options)


def _path(options: argparse.Namespace) -> int:
    from hermes_guard.cli.path import run

    return run(options)


def _rules(options: argparse.Namespace) -> int:
    from hermes_guard.cli.rules import run

    return run(options)
