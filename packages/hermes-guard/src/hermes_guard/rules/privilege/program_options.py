"""Judges options of ordinary programs that run another program, whatever it is.

Database clients belong to `sql`, and git pagers to `git`. The commands that a tool runs are judged by `tool_escapes`.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.privilege.rules import ESCAPE, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import HOLE
from hermes_guard.verdict import Finding

#: Options whose value is run when it matches.
_VALUES: dict[str, tuple[Spec, tuple[str, ...], re.Pattern[str]]] = {
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude"),
        (
            Spec("o= option= c= config-file= t= target-release= default-release= a= host-architecture= q? P="),
            ("o", "option"),
            re.compile(r"Invoke|Changelogs|Pager", re.IGNORECASE),
        ),
    ),
    **dict.fromkeys(
        ("gdb", "lldb"),
        (
            Spec("ex= iex= eval-command= init-eval-command= o= one-line= x= p= batch nx quiet", single=True),
            ("ex", "iex", "eval-command", "init-eval-command", "o", "one-line"),
            re.compile(r"\A\s*(?:!|shell|python|script|platform shell)"),
        ),
    ),
    "tcpdump": (Spec("B= c= C= E= F= G= i= j= m= M= Q= r= s= T= V= w= W= y= z= Z="), ("z",), re.compile(r"\S")),
    "man": (
        Spec("P= pager= C= R= L= m= M= S= s= e= r= E= p= T? H? X? config-file= locale= manpath= sections= prompt="),
        ("P", "pager"),
        re.compile(r"\A(?!cat\b|less\b|more\b|bat\b|most\b)\S"),
    ),
    "rpm": (Spec("E= eval= D= define= r= root= dbpath="), ("E", "eval"), re.compile(r"lua|%\(")),
    "yum": (
        Spec("c= config= setopt= x= R= e= d="),
        ("c", "config", "setopt"),
        re.compile(r"\A/tmp|\A[^/=]*plugin[^/=]*="),
    ),
    "wget": (Spec("use-askpass= O= o= e="), ("use-askpass",), re.compile(r"\S")),
    "sort": (Spec("compress-program= t= k= S= T= o="), ("compress-program",), re.compile("")),
}


@FAMILY.judges(*_VALUES)
def values(command: Command, _: Context) -> Iterator[Finding]:
    """Judge options whose value is a command."""
    spec, names, pattern = _VALUES[command.program or ""]
    if any(pattern.search(word.raw) for word in parse(command, spec).values(*names)):
        yield ESCAPE.found(command, path=_line(command))


_TEMPORARY = re.compile(r"/(?:tmp|var/tmp)/")
_ANYBODYS = re.compile(r"/(?:tmp|home)")


def _nmap(words: Sequence[str]) -> bool:
    scripts = [after for word, after in pairwise(words) if word in {"--script", "--script="}]
    scripts += [word for word in words if word.startswith("--script=")]
    return any("/" in name or name.startswith(HOLE) for name in scripts)


#: Checks of other programs' arguments.
_WORDS: dict[str, Callable[[Sequence[str]], bool]] = {
    "zip": lambda words: any(word.startswith(("-TT", "--unzip-command")) for word in words),
    **dict.fromkeys(("gcc", "cc", "g++"), lambda words: "-wrapper" in words[:-1]),
    "nmap": _nmap,
    "socat": lambda words: any(word.lower().startswith(("exec:", "system:", "shell:")) for word in words),
    "make": lambda words: any(word == "--eval" or word.startswith(("--eval=", "SHELL=")) for word in words),
    "sysctl": lambda words: any(word.startswith("kernel.core_pattern=") and "|" in word for word in words),
    "less": lambda words: any(word.startswith(("!", "+!")) for word in words),
    "logrotate": lambda words: "-f" in words and any(_TEMPORARY.search(word) for word in words),
    "run-parts": lambda words: (
        not {"--test", "--list"} & set(words[:1]) and any(_ANYBODYS.search(word) for word in words)
    ),
}


@FAMILY.judges(*_WORDS)
def words(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about arguments that make a program run a command."""
    if _WORDS[command.program or ""]([word.raw for word in command.args]):
        yield ESCAPE.found(command, path=_line(command))


def _line(command: Command) -> str:
    return " ".join(word.raw for word in command.args)[:80]
