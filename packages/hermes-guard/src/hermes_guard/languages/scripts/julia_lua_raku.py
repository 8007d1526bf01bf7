"""Reads Julia, Lua and Raku, which need no more than a table of function names."""

from collections.abc import Callable

from hermes_guard.budget import Budget
from hermes_guard.languages.operation import Operation
from hermes_guard.languages.scripts.function_names import Functions
from hermes_guard.languages.scripts.script import Script
from hermes_guard.languages.tokens import JULIA, LUA, RAKU
from hermes_guard.name_sets import names


def _reader(functions: Functions) -> Callable[..., list[Operation]]:
    def read(code: str, *, home: str, looped: bool, budget: Budget) -> list[Operation]:
        return Script(code, functions, home, looped=looped, budget=budget).read()

    return read


read_julia = _reader(
    Functions(
        JULIA, trees=names("rm"), evals=names("eval include_string"), opens=names("open"), fetches=names("download")
    )
)
read_lua = _reader(
    Functions(
        LUA,
        shell=names("execute popen"),
        files=names("remove"),
        evals=names("load loadstring"),
        writes={"rename": 1},
        opens=names("open"),
        sockets=names("socket tcp"),
        forks=names("fork"),
    )
)
read_raku = _reader(
    Functions(
        RAKU,
        shell=names("shell qqx"),
        spawn=names("run system exec"),
        trees=names("rmtree remove_tree rm_rf empty-directory remove-tree"),
        files=names("unlink"),
        evals=names("EVAL EVALFILE eval"),
        opens=names("open"),
        reads=names("slurp"),
        writes={"spurt": 0, "rename": 1, "copy": 1, "move": 1, "symlink": 1},
        sockets=names("IO::Socket::INET IO::Socket::Async"),
        fetches=names("HTTP::UserAgent HTTP::Tiny LWP::Simple Cro::HTTP::Client"),
        statements=names("do execute query prepare"),
    )
)
