"""`python -m docs.imports` finds every import that its table does not allow."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs import imports

FILES = {
    "hermes-core": {"__init__.py": "", "errors.py": '"""PUBLIC: The errors."""', "host.py": "import hermes_net.client"},
    "hermes-net": {"__init__.py": "", "client.py": "import json", "keys.py": ""},
    "hermes-tools-dice": {
        "__init__.py": "",
        "plugin.py": "import hermes_core\nfrom hermes_core.errors import ToolError",
        "cups/__init__.py": "",
        "cups/cup.py": "from hermes_tools_dice.cups import leather",
        "cups/leather.py": "",
    },
}
TABLE = {
    "hermes_core": ["hermes_net"],
    "hermes_net": [],
    "hermes_tools_dice": ["hermes_core"],
    "hermes_tools_dice.cups": [],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for package, files in FILES.items():
        for name, text in files.items():
            write(tmp_path, package, name, text)
    return tmp_path


def write(root: Path, package: str, name: str, text: str) -> None:
    file = root / "packages" / package / "src" / package.replace("-", "_") / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_imports_that_the_table_lists_are_allowed(root: Path) -> None:
    assert list(imports.find_problems(root, TABLE)) == []


@pytest.mark.parametrize(
    ("package", "name", "line", "problem"),
    [
        ("hermes-tools-dice", "table.py", "import hermes_net", "hermes_net, which hermes_tools_dice may not import"),
        (
            "hermes-tools-dice",
            "table.py",
            "from hermes_net import client",
            "hermes_net.client, which hermes_tools_dice",
        ),
        ("hermes-net", "table.py", "from hermes_core import tool", "hermes_core, which hermes_net may not import"),
        ("hermes-core", "table.py", "import hermes_tools_dice", "hermes_tools_dice, which hermes_core may not import"),
        ("hermes-tools-dice", "table.py", "import hermes_core.host", "hermes_core.host, which is internal"),
        ("hermes-tools-dice", "table.py", "from hermes_core import host", "hermes_core.host, which is internal"),
        ("hermes-tools-dice", "table.py", "from hermes_core.host import Hermes", "hermes_core.host, which is internal"),
        ("hermes-tools-dice", "table.py", "def roll():\n    import hermes_net.keys", "hermes_net.keys, which"),
        (
            "hermes-tools-dice",
            "cups/steel.py",
            "import hermes_core",
            "hermes_core, which hermes_tools_dice.cups may not",
        ),
        (
            "hermes-tools-dice",
            "cups/steel.py",
            "from hermes_tools_dice import plugin",
            "hermes_tools_dice.plugin, which hermes_tools_dice.cups may not import",
        ),
    ],
)
def test_an_import_that_is_not_listed_is_a_problem(
    package: str, name: str, line: str, problem: str, root: Path
) -> None:
    write(root, package, name, f"from __future__ import annotations\nif TYPE_CHECKING:\n    pass\n{line}\n")
    (found,) = imports.find_problems(root, TABLE)
    assert f"imports {problem}" in found


def test_a_package_that_is_not_listed_is_a_problem(root: Path) -> None:
    write(root, "hermes-tools-cards", "__init__.py", "import hermes_net")
    assert list(imports.find_problems(root, TABLE)) == [
        "hermes_tools_cards is not listed in [tool.hermes-tools.imports]"
    ]


def test_an_entry_that_nothing_uses_is_a_problem(root: Path) -> None:
    table = TABLE | {"hermes_net": ["hermes_core"]}
    assert list(imports.find_problems(root, table)) == ["hermes_net may import hermes_core, but does not"]


def test_a_wrong_import_fails_the_command(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f'"{owner}" = {names}\n' for owner, names in TABLE.items())
    (root / "pyproject.toml").write_text(f"[tool.hermes-tools.imports]\n{lines}", encoding="utf-8")
    assert imports.main(root) == 0
    write(root, "hermes-net", "client.py", "import hermes_core.errors")
    assert imports.main(root) == 1
    assert "hermes_net.client:1 imports hermes_core.errors" in capsys.readouterr().out


def test_the_imports_of_this_repository_are_allowed() -> None:
    assert imports.main() == 0
