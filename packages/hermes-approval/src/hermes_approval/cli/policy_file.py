"""Rules in a file that is not installed, and sections that were meant to be the policy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hermes_approval.policy.rule_reader import read_rules
from hermes_approval.policy.ruleset import RuleSet
from hermes_core.errors import ConfigError, did_you_mean
from hermes_core.settings import ConfigProblem, read_document
from hermes_files.yaml_document import Document
from hermes_schemas import nearest

if TYPE_CHECKING:
    from hermes_core.settings import Config

EXAMPLE = "policy: {rules: [{name: no-deletes, match: {effect: delete}, action: ask}]}"
_OTHER_NAMES = frozenset({"policies", "rule", "rules"})


def rules_option(help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--rules FILE`, for commands that look at rules before they are installed."""
    return click.option(
        "--rules",
        "file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help=help,
    )


def read_rules_file(file: Path, known_tools: Any = None) -> tuple[RuleSet, list[ConfigProblem]]:
    """The rules of a file, written as in config.yaml or from `rules:` on, and everything that is wrong with them.

    Raises:
        ConfigError: it cannot be read, or holds no rules.
    """
    document = read_document(file)
    if "policy" in document.data:
        section, line_of = document.data["policy"], document.line_of
    elif "rules" in document.data:
        section, line_of = document.data, lambda steps: document.line_of(steps[1:])
    else:
        near = did_you_mean(("policy",)) if any(_may_mean_policy(name) for name in document.data) else ""
        raise ConfigError(f"it has neither a section 'policy' nor 'rules'.{near}", file=str(file), example=EXAMPLE)
    return read_rules(section, file=str(file), line_of=line_of, known_tools=known_tools)


def misnamed_sections(config: Config) -> list[ConfigProblem]:
    """The sections of config.yaml that nobody reads and that were probably meant to be the policy."""
    document = read_document(config.file)
    return [_misnamed(document, name) for name in _unknown(document, config.sections) if _may_mean_policy(name)]


def usable(read: tuple[RuleSet, Iterable[ConfigProblem]]) -> RuleSet:
    """The rules, if all of them can be used.

    Raises:
        ConfigError: one cannot.
    """
    book, problems = read
    for problem in problems:
        if problem.level == "error":
            raise problem.error()
    return book


def _unknown(document: Document, known: Collection[str]) -> list[Any]:
    return [name for name in document.data if name not in known]


def _may_mean_policy(name: object) -> bool:
    said = str(name).casefold()
    return said in _OTHER_NAMES or said == "policy" or bool(nearest(said, ("policy",)))


def _misnamed(document: Document, name: object) -> ConfigProblem:
    return ConfigProblem(
        file=str(document.file),
        line=document.line_of((name,)),
        key=str(name),
        reason="nobody reads it, so no rule in it is asked.",
        nearest=("policy",),
        example=EXAMPLE,
    )
