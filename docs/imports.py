"""Checks which package imports which: `python -m docs.imports`.

The table `[tool.hermes-tools.imports]` of pyproject.toml lists what each package may import of the others. Any other
import is a problem, and so is a package that is not listed. Of the core, other packages may import the façade and the
modules whose docstring begins with `PUBLIC:`. Imports inside functions and for type checkers count too.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORE = "hermes_core"

Table = Mapping[str, Sequence[str]]


def find_problems(root: Path, table: Table) -> Iterator[str]:
    """Find imports that the table does not allow, packages that it does not list, and entries that nothing uses."""
    modules = dict(_read_modules(root))
    packages = {name.split(".")[0] for name in modules}
    yield from (f"{name} is not listed in [tool.hermes-tools.imports]" for name in sorted(packages - {*table}))
    used: set[tuple[str, str]] = set()
    for name, tree in modules.items():
        owner = next((entry for entry in _ancestors(name) if entry in table), None)
        if owner is None:
            continue
        for line, imported in _imports(tree, modules):
            allowed = next((each for each in _ancestors(imported) if each == owner or each in table[owner]), None)
            if imported.split(".")[0] not in packages or allowed == owner:
                continue
            if allowed is None:
                yield f"{name}:{line} imports {imported}, which {owner} may not import"
                continue
            used.add((owner, allowed))
            if CORE in _ancestors(imported) and CORE not in _ancestors(name) and not _is_public(imported, modules):
                yield f"{name}:{line} imports {imported}, which is internal to the core"
    for owner, names in table.items():
        yield from (f"{owner} may import {each}, but does not" for each in names if (owner, each) not in used)


def _read_modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for source in sorted((root / "packages").glob("*/src")):
        for file in sorted(source.rglob("*.py")):
            parts = file.relative_to(source).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield name, ast.parse(file.read_text(encoding="utf-8"))


def _imports(tree: ast.Module, modules: Mapping[str, object]) -> Iterator[tuple[int, str]]:
    """Return the line and the name of each imported module, also where `from package import module` imports it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, name if name in modules else node.module) for name in names)


def _ancestors(name: str) -> list[str]:
    """Return the name of a module and those of the packages around it, the innermost first."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]


def _is_public(name: str, modules: Mapping[str, ast.Module]) -> bool:
    return name == CORE or (name in modules and (ast.get_docstring(modules[name]) or "").startswith("PUBLIC: "))


def main(root: Path = ROOT) -> int:
    """Print all problems, and return 1 when there are any."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    problems = list(find_problems(root, project["tool"]["hermes-tools"]["imports"]))
    print("\n".join(problems or ["Every import between packages is allowed."]))
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
