"""Reads Perl."""

import re

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.environment_secrets import sent
from hermes_guard.languages.scripts.function_names import STATEMENTS, Functions
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.tokens import PERL
from hermes_guard.name_sets import names

VERBS = Functions(
    PERL,
    spawn=names("system exec"),
    trees=names("rmtree remove_tree pathrmdir"),
    files=names("unlink"),
    evals=names("eval"),
    opens=names("open sysopen"),
    writes={"rename": 1, "symlink": 1, "link": 1, "move": 1, "copy": 1, "truncate": 0},
    sockets=names("socket IO::Socket IO::Socket::INET IO::Socket::SSL"),
    fetches=names("getstore get getprint LWP::UserAgent HTTP::Tiny LWP::Simple"),
    forks=names("fork"),
    statements=STATEMENTS | names("do selectall_arrayref selectrow_array selectall_hashref"),
    empties=names("flushall flushdb delete_many"),
)


def read(code: str, *, home: str, looped: bool, budget: Budget, argv: list[str] | None = None) -> list[Operation]:
    """Return what Perl code would do."""
    script = Script(code, VERBS, home, looped=looped, budget=budget, argv=argv)
    found = script.read()
    sent(script, code)
    if re.search(r"\\\s*&\s*CORE::(?:GLOBAL::)?(?:system|exec|unlink|eval|fork|kill)\b", code):
        found.append(Operation("eval", "a built-in function under another name"))
    return found
