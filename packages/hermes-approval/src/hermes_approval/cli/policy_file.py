"""Rules in a file that is not in use, and misnamed sections of config.yaml."""

from __future__ import annotations

from collections.abc import Callable
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
    """Return the option `--rules FILE`, for commands that try rules before they are used."""
    return click.option(
        "--rules", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE", help=help
    )


def read_rules_file(file: Path, known_tools: Any = None) -> tuple[RuleSet, list[ConfigProblem]]:
    """Return the rules of a file, written as in config.yaml or only its `rules:`, and every problem in them.

    Raises:
        ConfigError: it cannot be read, or has no rules.
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
    """Return a problem for each unknown section of config.yaml that was probably meant to be the policy."""
    document = read_document(config.file)
    unknown = (name for name in document.data if name not in config.sections)
    return [_misnamed(document, name) for name in unknown if _may_mean_policy(name)]


def _may_mean_policy(name: object) -> bool:
    word = str(name).casefold()
    return word in _OTHER_NAMES or word == "policy" or bool(nearest(word, ("policy",)))


def _misnamed(document: Document, name: object) -> ConfigProblem:
    return ConfigProblem(
        file=str(document.file),
        line=document.line_of((name,)),
        key=str(name),
        reason="is not a known section, so its rules are not used.",
        nearest=("policy",),
        example=EXAMPLE,
    )
