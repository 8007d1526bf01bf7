"""Every install command works from a checkout: the names of our packages on the public index are not ours."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from docs.pages import families as families_page

from hermes_core.families import explain_missing, install_command, read_families
from hermes_kit.scaffold import project_files

ROOT = Path(__file__).parents[1]
READ = (".md", ".py", ".toml", ".json", ".yml", ".yaml", ".txt", ".sh", ".cfg")
_INSTALLS = re.compile(
    r"\b(?:pip3?|pipx|uv|uvx|poetry|pdm|conda)\b[^\n]{0,40}?\b(?:install|add|run)\b(?P<what>[^\n`]*)|uvx (?P<it>\S+)"
)
_OURS = re.compile(
    r"(?<![\w./-])hermes[-_](?:approval|auxiliary|compat|core|editing|files|guard|kit|net|schemas|search|text|tools-[a-z]+)\b(?!\.)"
)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    skipped = ("bench/", "CHANGELOG.md", "packages/hermes-guard/tests/", "tests/test_install_commands.py")
    names = [name for name in listed.split("\0") if name.endswith(READ) and not name.startswith(skipped)]
    return [ROOT / name for name in names]


def names_of_index(text: str) -> list[str]:
    """The commands in a text that would install a package of ours from an index."""
    found = [match[0] for match in _INSTALLS.finditer(text) if _OURS.search(match["what"] or match["it"] or "")]
    return found + re.findall(r"pypi\.org/project/hermes[\w-]*", text)


@pytest.mark.parametrize(
    ("line", "is_wrong"),
    [
        ("pip install hermes-core", True),
        ("pip install 'hermes-tools-terminal[modal]'", True),
        ("python -m pip install -U hermes-tools-web==1.0", True),
        ("uv pip install hermes_core", True),
        ("uv add hermes-guard", True),
        ("see https://pypi.org/project/hermes-core/", True),
        ("pip install ./packages/hermes-core './packages/hermes-tools-terminal[modal]'", False),
        ('pip install "$HERMES_TOOLS/packages/hermes-core"', False),
        ("pip install . pytest", False),
    ],
)
def test_a_command_that_asks_the_index_is_known(line: str, is_wrong: bool) -> None:
    assert bool(names_of_index(line)) is is_wrong


def test_nothing_sends_users_to_the_index_for_our_packages() -> None:
    files = tracked()
    assert len(files) > 500
    wrong = {str(file.relative_to(ROOT)): names_of_index(file.read_text(encoding="utf-8")) for file in files}
    assert {name: commands for name, commands in wrong.items() if commands} == {}


def test_the_list_of_families_is_that_of_the_packages() -> None:
    assert families_page.FILE.read_text(encoding="utf-8") == families_page.text(), "run python docs/generate.py"


def test_every_package_can_be_installed_by_its_command() -> None:
    for name in read_families():
        words = install_command(name).removesuffix(" (in a checkout of Hermes tools)").split()
        assert words[:2] == ["pip", "install"]
        assert words[-1] == f"./packages/{name}"
        assert all((ROOT / word / "pyproject.toml").is_file() for word in words[2:])


def packages_needed(folder: Path, extra: str = "") -> set[Path]:
    """The packages of the checkout that pip must be given to install one of them, with an extra or without."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *project.get("optional-dependencies", {}).get(extra, ())]
    required = (ROOT / "packages" / re.split(r"[^\w-]", line)[0] for line in lines)
    return {folder}.union(*(packages_needed(each) for each in required if each.is_dir()))


def test_a_command_names_every_package_that_the_index_does_not_have() -> None:
    core = packages_needed(ROOT / "packages" / "hermes-core")
    for name in read_families():
        file = ROOT / "packages" / name / "pyproject.toml"
        extras = tomllib.loads(file.read_text(encoding="utf-8"))["project"].get("optional-dependencies", {})
        plain = packages_needed(file.parent)
        for extra in ("", *extras):
            command = install_command(f"{name}[{extra}]" if extra else name)
            named = {ROOT / path for path in re.findall(r"\./(packages/[\w-]+)", command)}
            there = (core if name != "hermes-core" else set()) | (plain - {file.parent} if extra else set())
            assert packages_needed(file.parent, extra) - there <= named, command


@pytest.mark.parametrize("name", read_families())
def test_a_documented_command_installs_a_package_with_all_that_it_needs(name: str) -> None:
    row = re.compile(rf"^\| `{name}` \|.*(pip install .*)` \|$", re.MULTILINE)
    first = re.compile(r"^(pip install .*)$", re.MULTILINE)
    for page, command in (("docs/how-to/install.md", row), (f"packages/{name}/README.md", first)):
        found = command.search((ROOT / page).read_text(encoding="utf-8"))
        assert found, page
        named = {ROOT / path for path in re.findall(r"\./(packages/[\w-]+)", found[1])}
        assert named == packages_needed(ROOT / "packages" / name), page


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/install.md", "docs/explanation/architecture.md"])
def test_a_page_about_the_packages_names_each(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in read_families() if not re.search(rf"(`|\*\*|packages/){name}(`|\*\*)", text)] == []


def test_packages_of_others_come_from_the_index() -> None:
    assert install_command("dice-tools[pdf]") == "pip install 'dice-tools[pdf]'"


def test_every_tool_of_a_package_is_explained() -> None:
    for name, family in read_families().items():
        for each in (*family["tools"], *family["toolsets"], *family["commands"]):
            assert name in explain_missing(each)
    assert explain_missing("no_such_tool") == ""


def test_every_line_of_the_readme_of_a_new_plugin_works(tmp_path: Path) -> None:
    """Run the lines in an environment of their own, as a reader does."""
    project = tmp_path / "project"
    project.mkdir()
    environ = {**os.environ, "HERMES_HOME": str(tmp_path / "home"), "HERMES_TOOLS": str(ROOT)}
    environ.pop("PYTHONPATH", None)
    command = [sys.executable, "-m", "hermes_core", "plugin", "new", "greetings", "--folder", str(project)]
    subprocess.run(command, env=environ, check=True, capture_output=True, timeout=60)
    venv.create(tmp_path / "env", with_pip=True, symlinks=True)
    environ["PATH"] = f"{tmp_path / 'env' / 'bin'}{os.pathsep}{environ['PATH']}"
    readme = (project / "README.md").read_text(encoding="utf-8")
    lines = [line.strip() for line in readme.splitlines() if line.startswith("    ")]
    assert len(lines) == 10
    script = "set -euo pipefail\n" + "\n".join(lines)
    done = subprocess.run(
        ["bash", "-c", script], cwd=project, env=environ, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Hello, Ada!" in done.stdout
    assert "4 passed" in done.stdout
    assert list(project.glob("dist/*.whl"))


def test_a_new_plugin_requires_a_core_that_the_other_project_cannot_be() -> None:
    assert 'dependencies = ["hermes-core>=1.0,<2"]' in project_files("greetings")["pyproject.toml"]
