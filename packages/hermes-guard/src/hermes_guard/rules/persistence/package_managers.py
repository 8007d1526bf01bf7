"""Judges settings of package managers: the source of code, and the scripts that run with it."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.persistence.rules import FAMILY, PACKAGE_RUNS
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_RUNS = re.compile(
    r"script-shell|scriptshell|git\b|node-options|init-module|trusted-host|onload-script|"
    r"shell\Z|allow.?scripts|unsafe-perm"
)
_PROTECTS = ("ignore-scripts", "strict-ssl", "ssl_verify", "enablestrictssl", "disable-tls")
_SOURCES = re.compile(r"registry|index-url|index_url|extra-index|find-links|channels")
_RUN_SCRIPT = re.compile(r"(?:scripts\.|set-script )(?:pre|post|install|prepare)")
_GO_RUNS = re.compile(
    r"GOFLAGS=.*(?:toolexec|overlay|exec)|GOSUMDB=off|GONOSUMCHECK|GOINSECURE|GOPROXY=http:|\bCC=|\bGOROOT="
)


@FAMILY.judges("npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "gem", "go", "cargo", "conda", "composer", "bundle")
def packages(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about changed package sources, and scripts that run with packages."""
    words = [word.raw for word in command.args if not word.raw.startswith("-") or word.raw == "-w"]
    program = command.program or ""
    line = " ".join(words)[:400]
    if _sets(program, words):
        line = line.partition("set ")[2] if "set " in line else line
        key, _space, value = line.replace("=", " ", 1).partition(" ")
        found = _runs(key.lower(), value.strip())
    elif words[:2] == ["pkg", "set"] or words[:1] == ["set-script"]:
        found = _RUN_SCRIPT.search(line) is not None
    elif program == "go" and words[:2] == ["env", "-w"]:
        found = _GO_RUNS.search(line) is not None
    else:
        found = program == "gem" and _adds_source(command, words)
    if found:
        yield PACKAGE_RUNS.found(command, path=line[:80])


def _sets(program: str, words: list[str]) -> bool:
    return (
        words[:2] == ["config", "set"]
        or (program in {"npm", "pnpm"} and words[:1] == ["set"])
        or (program in {"conda", "bundle"} and words[:1] == ["config"])
    )


def _adds_source(command: Command, words: list[str]) -> bool:
    adds = words[:1] == ["sources"] and any(word.raw in {"-a", "--add"} for word in command.args)
    return adds and not any("https://rubygems.org" in word for word in words)


def _runs(key: str, value: str) -> bool:
    """Return True when a setting runs a program, disables a protection, or uses an insecure server."""
    if _RUNS.search(key):
        return key not in {"git-tag-version", "git-checks"}
    if key.endswith(_PROTECTS):
        return value.lower() in {"false", "0", "no"} or key == "disable-tls"
    if key.startswith("//") or key.endswith("proxy"):
        return False
    return _SOURCES.search(key) is not None and not value.startswith("https://")
