"""Every group of rules has the same layout."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import hermes_guard.rules
from hermes_guard.catalogue import EXAMPLES
from hermes_guard.rules import registry

FOLDER = Path(hermes_guard.rules.__file__).parent
FRAME = {"common", "conditions", "family", "index", "registry", "rule_files"}
"""What belongs to no group."""
GROUPS = sorted(path for path in FOLDER.iterdir() if path.suffix in {".py", ""} and path.stem.strip("_") == path.stem)
GROUPS = [path for path in GROUPS if path.stem not in FRAME]
PACKAGES = [path for path in GROUPS if path.is_dir()]
TABLES = {"options", "programs", "rules", "verbs"}
"""Modules that hold tables in every group."""


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def declarations(file: Path, method: str) -> Iterator[ast.Call]:
    """The calls of a method of `FAMILY`, such as `FAMILY.rule(...)`."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == f"FAMILY.{method}":
            yield node


def test_every_group_is_a_family() -> None:
    assert len(GROUPS) == len(registry.families())
    assert {path.stem for path in GROUPS} == {file.stem for file in EXAMPLES.glob("*.toml")} - {"paths", "reading"}


@pytest.mark.parametrize("group", PACKAGES, ids=lambda path: path.name)
def test_rules_are_declared_in_one_file_that_holds_nothing_else(group: Path) -> None:
    _, first, *rest = parsed(group / "rules.py").body
    assert ast.unparse(first) == "from hermes_guard.rules.family import Family"
    family, *rules = map(ast.unparse, rest)
    assert family.startswith("FAMILY = Family(")
    assert all(" = FAMILY.rule(" in rule for rule in rules)
    assert {file.stem for file in group.glob("*.py") if list(declarations(file, "rule"))} == {"rules"}


@pytest.mark.parametrize("group", PACKAGES, ids=lambda path: path.name)
def test_a_group_shows_its_family_only(group: Path) -> None:
    _, *body = map(ast.unparse, parsed(group / "__init__.py").body)
    assert body == [f"from hermes_guard.rules.{group.name}.rules import FAMILY", "__all__ = ['FAMILY']"]


@pytest.mark.parametrize("group", PACKAGES, ids=lambda path: path.name)
def test_modules_of_one_name_have_one_job(group: Path) -> None:
    judging = {file.stem for file in group.glob("*.py") if list(declarations(file, "judges"))}
    assert judging
    # `findings` turns what was found into findings, and the tables are looked up: neither judges a program.
    assert judging.isdisjoint(TABLES | {"findings"})
    findings = group / "findings.py"
    if findings.exists():
        assert (ast.get_docstring(parsed(findings)) or "").startswith("Converts ")


@pytest.mark.parametrize("file", [path for path in GROUPS if path.is_file()], ids=lambda path: path.stem)
def test_a_group_of_one_module_declares_and_judges_in_it(file: Path) -> None:
    assert list(declarations(file, "rule"))
    assert list(declarations(file, "judges"))
    assert len(file.read_text(encoding="utf-8").splitlines()) < 400
