"""The documentation runs, is complete, and has no broken links.

How code blocks in `docs/` and the READMEs are read, page by page, in a folder and a `HERMES_HOME` of their own:

- `python` blocks run in order and share their names;
- `sh` blocks run under `bash -e`, in the same folder, where no plugin is installed but what the page installs; a lone
  `pip install .` makes the package in the folder importable, and `pip install ./packages/NAME` one of our plugins;
- `toml` and `json` blocks must parse, and a `yaml` block must be a `config.yaml` that a host starts with;
- a `text` or `json` block under the line `Output:` is what the block before it printed, with the home directory written
  as `~/.hermes`, the folder as `~/project`, installed packages as `~/site-packages`, and any number of milliseconds;
- a block under a line with only a file name, as in "`words.py`:", is written to that file of the folder, and not run.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import logging
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import click
import pytest
import yaml
from docs.site_hooks import find_remote, on_page_content, on_post_build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page
from tests.chat_server import Message, serve, tool_call

import hermes_core
import hermes_kit
import hermes_schemas
from hermes_core import Hermes
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.main import hermes
from hermes_core.config.config import Config
from hermes_core.config.sections import CORE_SECTIONS
from hermes_core.plugins.manager import HOOKS
from hermes_core.plugins.plugin_records import PluginRecord, PluginStatus
from hermes_kit.manifest_schema import MANIFEST_SCHEMA

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
READMES = [file for file in (ROOT / "README.md", *sorted(ROOT.glob("packages/*/README.md"))) if file.exists()]
REFERENCE = DOCS / "reference"
WRITTEN = [file for file in sorted(DOCS.rglob("*.md")) if file.parent != REFERENCE]
PAGES = [*sorted(DOCS.rglob("*.md")), *READMES]
WITH_FAMILIES = {
    *(
        DOCS / f"how-to/{name}.md"
        for name in ("run-commands", "call-tools-from-scripts", "search-the-web", "work-with-files", "use-tool-search")
    ),
    DOCS / "explanation/tool-search-ranking.md",
    DOCS / "explanation/tool-search.md",
    *(ROOT / f"packages/hermes-tools-{name}/README.md" for name in ("skills", "terminal", "web")),
}
"""The pages whose reader has installed the families that they are about."""

INSTALLS = {ROOT / "README.md": 2}
"""How many `sh` blocks at the top of a README install things, and so are not run here; of other READMEs the first."""

_BLOCK = re.compile(
    r"(?:(?<=\n\n)(?:(?P<output>Output)|`(?P<file>[^`\s]+)`):\n\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<file>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One code block of a page."""

    kind: str
    text: str
    line: int
    is_output: bool
    file: str | None

    @property
    def is_captioned(self) -> bool:
        return self.is_output or self.file is not None


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            kind=match["kind"],
            text=match["text"],
            line=text.count("\n", 0, match.start("text")),
            is_output=match["output"] is not None,
            file=match["file"],
        )
        for match in _BLOCK.finditer(text)
    ]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


# -- the blocks run ----------------------------------------------------------------------------------------------


class PageRun:
    """Runs the blocks of one page, as a reader would."""

    def __init__(self, page: Path, folder: Path, home: Path, programs: Path) -> None:
        self.page = page
        self.folder = folder
        self.home = home
        self.programs = programs
        self.module = ModuleType(f"docs_{page.stem.replace('-', '_')}")
        self.printed: str | None = None
        self.not_run = INSTALLS.get(page, 1) if page.name == "README.md" else 0

    def do(self, block: Block) -> None:
        if block.is_output:
            self.compare(block)
        elif block.file is not None:
            file = self.folder / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            self.printed = self.run_python(block)
        elif block.kind == "sh":
            self.printed = self.run_shell(block)
        if block.kind == "toml":
            tomllib.loads(block.text)
        elif block.kind == "json":
            json.loads(block.text)
        elif block.kind == "yaml":
            self.start_with(block)

    def run_python(self, block: Block) -> str:
        # The blank lines put the line numbers of the page into tracebacks.
        program = compile("\n" * block.line + block.text, str(self.page), "exec", dont_inherit=True)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, vars(self.module))
        return printed.getvalue()

    def run_shell(self, block: Block) -> str | None:
        if self.not_run:
            self.not_run -= 1
            return None
        if block.text.strip() == "pip install .":
            install(self.folder)
            return None
        if block.text.strip() == "pip install openai":  # the tests have it
            return None
        if ours := re.fullmatch(r"pip install((?: \./packages/[\w-]+)+)\n", block.text):
            for name in ours[1].split():
                declare(ROOT / name, self.folder / "site")
            return None
        path = os.pathsep.join([str(self.programs), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-e", "-c", block.text],
            cwd=self.folder,
            env={**_surroundings(), "PATH": path, "PYTHONPATH": str(self.folder / "site")},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{self.page}:{block.line}: {done.stdout}{done.stderr}"
        return done.stdout

    def compare(self, block: Block) -> None:
        where = f"{self.page}:{block.line}"
        assert self.printed is not None, f"{where}: nothing ran before this output"
        if block.kind == "json":
            assert json.loads(self.printed) == json.loads(block.text), where
        else:
            assert self.as_written(self.printed) == self.as_written(block.text), where

    def as_written(self, text: str) -> str:
        """Return printed text as a page shows it, without what differs between machines."""
        places = {self.home: "~/.hermes", self.folder / "site": "~/site-packages", self.folder: "~/project"}
        for place, name in places.items():
            text = text.replace(str(place), name)
        return re.sub(r"\b\d+ ms\b", "1 ms", text).strip()

    def start_with(self, block: Block) -> None:
        file = self.folder / "checked" / "config.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(block.text, encoding="utf-8")
        with Hermes(config=Config(file.parent, environ={}), home=file.parent):
            pass


def _surroundings() -> dict[str, str]:
    """Return the environment without the variables that change the layout of output."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}


def install(folder: Path) -> None:
    """Copy what `pip install .` would install, without pip and a build: the package and its entry points."""
    shutil.copytree(folder / "src", folder / "site", dirs_exist_ok=True)
    declare(folder, folder / "site")


def declare(folder: Path, site: Path) -> None:
    """Write the metadata of a project as an installed distribution."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project.get("version", "1.0.0")
    name = project["name"].replace("-", "_")
    for replaced in site.glob(f"{name}-*.dist-info"):
        shutil.rmtree(replaced)
    facts = site / f"{name}-{version}.dist-info"
    facts.mkdir(parents=True)
    lines = [f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"]
    (facts / "METADATA").write_text("".join(lines), encoding="utf-8")
    groups = project.get("entry-points", {})
    entries = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in named.items()) for group, named in groups.items()]
    (facts / "entry_points.txt").write_text("\n".join(entries), encoding="utf-8")


@pytest.fixture(scope="session")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Path]:
    """Return a function that creates environments for pages, with or without the approval plugin."""
    return cache(lambda approval: make_environment(tmp_path_factory.mktemp("environment"), approval))


def make_environment(folder: Path, approval: bool) -> Path:
    """Create `python` and the commands of an environment like this one, but without the installed plugins."""
    venv.create(folder, symlinks=True)
    target = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(place).iterdir():
            declared = entry / "entry_points.txt"
            is_plugin = declared.is_file() and "[hermes.plugins]" in declared.read_text(encoding="utf-8")
            is_plugin = is_plugin and not (approval and entry.name.startswith("hermes_approval-"))
            if not is_plugin and not (target / entry.name).exists():
                (target / entry.name).symlink_to(entry)
    for name, module in (("hermes", "hermes_core.cli.main"), ("hermes-guard", "hermes_guard.cli.main")):
        command = folder / "bin" / name
        command.write_text(f"#!{folder}/bin/python\nfrom {module} import main\n\nraise SystemExit(main())\n")
        command.chmod(0o755)
    return folder / "bin"


@pytest.fixture(autouse=True)
def model_server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start a model server for the page that asks about two cities, and set its URL in the environment."""
    if "connect-a-model" not in request.node.name:
        yield
        return
    with serve(compare_cities) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        yield
        assert server.refused == []


def compare_cities(messages: list[Message]) -> Message:
    """Request the temperatures of both cities in one message, then name the warmer city."""
    results = [json.loads(message["content"]) for message in messages if message["role"] == "tool"]
    if not results:
        cities = ("Oslo", "Lima")
        return {
            "tool_calls": [tool_call(f"call_{city}", "get_temperature", f'{{"city": "{city}"}}') for city in cities]
        }
    cold, warm = sorted(results, key=lambda result: int(result["celsius"]))
    return {"content": f"{warm['city']}, with {warm['celsius']} °C. {cold['city']} has {cold['celsius']} °C."}


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """Pages assume that the features are installed."""
    return "hermes-approval"


@pytest.fixture
def restored_log_level() -> Iterator[None]:
    """Restore the level of the project's logger, which a page may change."""
    logger = logging.getLogger("hermes")
    level = logger.level
    yield
    logger.setLevel(level)


@pytest.mark.usefixtures("restored_log_level")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_does_what_the_page_says(
    page: Path,
    tmp_path: Path,
    environments: Callable[[bool], Path],
    veil: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if page in WITH_FAMILIES:
        monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != veil])
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(home))
    monkeypatch.chdir(folder)
    approval = re.search(r"hermes[_-]approval|hermes (?:policy|approvals|audit)", page.read_text(encoding="utf-8"))
    run = PageRun(page, folder, home, environments(approval is not None))
    monkeypatch.setitem(sys.modules, run.module.__name__, run.module)
    for block in blocks_of(page):
        run.do(block)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_fence_is_a_block_that_is_read(page: Path) -> None:
    text, blocks = page.read_text(encoding="utf-8"), blocks_of(page)
    assert len(re.findall(r"^\s*```", text, re.MULTILINE)) == 2 * len(blocks)
    captions = re.findall(r"(?<=\n\n)(Output|`[^`\s]+`):(?=\n\n)", _CODE.sub("", text))
    assert captions == ["Output" if block.is_output else f"`{block.file}`" for block in blocks if block.is_captioned]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_hides_text_from_its_readers(page: Path) -> None:
    hidden = re.findall(r"^<!--.*", _CODE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    hidden = [comment for comment in hidden if "docs/generate.py" not in comment]
    assert hidden == [], "write `Output:` or the file name on a visible line above a block"


# -- nothing is missing ------------------------------------------------------------------------------------------


def test_the_generated_pages_are_fresh() -> None:
    command = [sys.executable, str(DOCS / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_diagrams_show_every_package_and_every_stage() -> None:
    drawn = {name: texts_of(DOCS / f"explanation/{name}.svg") for name in ("packages", "call")}
    assert {folder.parent.name for folder in ROOT.glob("packages/*/pyproject.toml")} - drawn["packages"] == set()
    stages = re.findall(
        r"^\| \d+ \| (.+?) \|", (DOCS / "explanation/life-of-a-call.md").read_text("utf-8"), re.MULTILINE
    )
    assert {f"{number}. {stage}" for number, stage in enumerate(stages, 1)} - drawn["call"] == set()


def texts_of(drawing: Path) -> set[str]:
    return set(re.findall(r"<text[^>]*>([^<]+)</text>", drawing.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "loaded",
    [
        '<script src="https://cdn.example/a.js">',
        "<script defer src=//cdn.example/a.js>",
        '<link rel="stylesheet" href="https://fonts.example/a.css">',
        '<img alt="" src="http://pixel.example/a.png">',
        "@import 'https://fonts.example/a.css'",
        "url(https://fonts.example/a.woff2)",
        '"https://unpkg.com/mermaid.js',
    ],
)
def test_a_file_that_loads_something_from_another_host_is_found(loaded: str) -> None:
    assert find_remote(f"<p>text</p>{loaded}") == [loaded]


@pytest.mark.parametrize(
    "own", ['<script src="../a.js">', '<a href="https://example.org">', "url(../a.woff2)", '"https://x/"']
)
def test_links_and_files_of_the_site_are_not_remote(own: str) -> None:
    assert find_remote(own) == []


def test_long_names_in_tables_can_break_and_bars_have_no_backslash() -> None:
    html = "<p><code>a.b</code></p><table><td>x <code>calls.hook_timeout</code> <code>[a\\|b]</code></td></table>"
    page = Page("Dice", File("dice.md", str(DOCS), str(DOCS), use_directory_urls=True), MkDocsConfig())
    assert on_page_content(html, page) == (
        "<p><code>a.b</code></p><table><td>x <code>calls.<wbr>hook_<wbr>timeout</code> "
        "<code>[a|<wbr>b]</code></td></table>"
    )


@pytest.mark.parametrize(("name", "is_fixed"), [("bundle.1.min.js", True), ("other.js", False)])
def test_the_scripts_of_the_theme_load_nothing_from_a_cdn(name: str, is_fixed: bool, tmp_path: Path) -> None:
    script = tmp_path / "assets/javascripts" / name
    script.parent.mkdir(parents=True)
    script.write_text('load("https://unpkg.com/mermaid@11/dist/mermaid.min.js")', encoding="utf-8")
    config = MkDocsConfig()
    config.site_dir = str(tmp_path)
    if is_fixed:
        on_post_build(config)
        assert script.read_text(encoding="utf-8") == 'load("about:blank")'
    else:
        with pytest.raises(PluginError, match="unpkg"):
            on_post_build(config)


def words_in(files: list[Path]) -> set[str]:
    return {word for file in files for word in re.findall(r"[\w.]+", file.read_text(encoding="utf-8"))}


def test_every_hook_is_explained_in_a_page() -> None:
    assert set(HOOKS) - words_in(WRITTEN) == set()


def test_every_public_name_is_documented() -> None:
    assert set(hermes_core.__all__) - words_in(PAGES) == set()


def commands_in(group: click.Command, ctx: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Return every command below a group, with its full name."""
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        inner = click.Context(command, parent=ctx, info_name=name)
        yield inner.command_path, command
        yield from commands_in(command, inner)


ALL_COMMANDS = dict(commands_in(hermes, click.Context(hermes, info_name="hermes")))


@pytest.mark.parametrize("path", ALL_COMMANDS)
def test_every_command_and_each_of_its_options_is_documented(path: str) -> None:
    section = sections_of(REFERENCE / "commands.md").get(path, "")
    missing = [
        option
        for parameter in ALL_COMMANDS[path].params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if not re.search(rf"^\| `[^`]*{option}\b", section, re.MULTILINE)
    ]
    assert section
    assert missing == []


def test_every_command_is_shown_in_use_in_a_page() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in WRITTEN)
    flat = " ".join(text.split())
    assert [path for path in ALL_COMMANDS if not re.search(rf"\b{path}\b", flat)] == []


def sections_of(page: Path) -> dict[str, str]:
    """Return the text below each heading of a page."""
    _, *parts = re.split(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_exit_code_is_documented() -> None:
    table = sections_of(REFERENCE / "commands.md")["Exit codes"]
    assert [code for code in ExitCode if f"| `{code.value}` | {code.meaning} |" not in table] == []


def test_every_status_of_a_plugin_is_explained_where_plugins_are_made() -> None:
    statuses = set(get_args(PluginStatus))
    listed = sections_of(REFERENCE / "plugins.md")["Statuses"]
    assert set(re.findall(r"^\| `(\w+)`", listed, re.MULTILINE)) == statuses
    assert statuses - words_in([DOCS / "how-to" / "write-a-plugin.md"]) == set()


def test_every_field_of_a_plugin_record_is_documented() -> None:
    listed = sections_of(REFERENCE / "plugins.md")["Fields of a record"]
    assert re.findall(r"^\| `(\w+)`", listed, re.MULTILINE) == list(PluginRecord._fields)


def test_every_field_of_a_manifest_is_documented() -> None:
    listed = re.findall(r"^\| `(\w+)`", (REFERENCE / "manifest.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == list(manifest_fields(MANIFEST_SCHEMA))


def manifest_fields(schema: dict[str, Any]) -> Iterator[str]:
    """Return the fields of the file, then those of the entries of each list."""
    yield from schema["properties"]
    for part in schema["properties"].values():
        yield from part.get("items", {}).get("properties", ())


def test_every_name_of_the_test_kit_is_documented() -> None:
    page = REFERENCE / "testing.md"
    assert set(hermes_kit.__all__) - set(sections_of(page)) == set()
    found = find_spec("hermes_kit.pytest_plugin")
    assert found is not None
    assert found.origin is not None
    fixtures = re.findall(r"^@pytest.fixture\ndef (\w+)", Path(found.origin).read_text(encoding="utf-8"), re.MULTILINE)
    assert fixtures
    assert set(fixtures) - words_in([page]) == set()


def needed_by(package: Path) -> set[str]:
    """Return the distributions that a package requires."""
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {re.split(r"[<>=~!\[; ]", line)[0].lower() for line in project["dependencies"]}


def test_every_dependency_has_its_reason() -> None:
    text = (DOCS / "explanation" / "dependencies.md").read_text(encoding="utf-8")
    listed = {name.lower() for name in re.findall(r"^\| \[([\w.-]+)\]\(http", text, re.MULTILINE)}
    ours = {folder.name for folder in (ROOT / "packages").iterdir()}
    core = needed_by(ROOT / "packages/hermes-core")
    assert listed == core.union(*(needed_by(ROOT / "packages" / name) for name in core & ours)) - ours
    for package in (ROOT / "packages").iterdir():
        assert needed_by(package) - ours - set(re.findall(r"[\w.-]+", text.lower())) == set()


def architecture(title: str) -> str:
    """A section of the page about the architecture; renaming it fails instead of checking nothing."""
    text = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
    _, heading, rest = text.partition(f"\n## {title}\n")
    assert heading, f"the page has no section {title!r}"
    return rest.partition("\n## ")[0]


def test_the_architecture_page_lists_every_module_of_the_core() -> None:
    core = Path(hermes_core.__file__).parent
    folders = {f"{folder.name}/" for folder in core.iterdir() if (folder / "__init__.py").exists()}
    page = architecture("The core")
    assert set(re.findall(r"`(\w+(?:\.py|/))`", page)) == folders | {file.name for file in core.glob("[!_]*.py")}
    public = [file.stem for file in sorted(core.glob("[!_]*.py")) if '"""PUBLIC: ' in file.read_text(encoding="utf-8")]
    assert re.findall(r"`(\w+)`", page.partition("begins with `PUBLIC`:")[2]) == public


def test_the_architecture_page_explains_every_module_of_the_plugins() -> None:
    modules = {file.stem for file in (Path(hermes_core.__file__).parent / "plugins").glob("[!_]*.py")}
    explained = {
        name
        for line in architecture("How a plugin is loaded").rpartition("```")[2].splitlines()
        if line.startswith("- `")
        for name in re.findall(r"`(\w+)`", line.partition(":")[0])
    }
    mentioned = set(re.findall(r"`(\w+)`", architecture("How a plugin is loaded")))
    assert modules - mentioned == set()
    assert explained - modules == set()


def test_the_changelog_names_modules_that_exist() -> None:
    text = re.sub(r"\(before: [^)]*\)", "", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    names = set(re.findall(r"`(hermes_\w+(?:\.\w+)+)(?![\w.]*/)", text))
    assert len(names) > 10
    wrong = []
    for name in sorted(names):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError):
            wrong.append(name)
    assert wrong == []


def test_every_setting_is_documented() -> None:
    text = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    keys = [".".join((spec.name, *way)) for spec in CORE_SECTIONS for way in spec.paths()]
    assert [key for key in keys if f"`{key}`" not in text] == []


def test_every_repair_is_explained() -> None:
    assert len(set(repair_kinds())) > 10
    assert set(repair_kinds()) - words_in([DOCS / "explanation" / "repair.md"]) == set()


def repair_kinds() -> Iterator[str]:
    """Return the names of repairs from the code that makes them."""
    for file in sorted(Path(hermes_schemas.__file__).parent.glob("repair*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "note":
                yield from _texts_in(node.args[1])
            elif isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "_READ" for target in node.targets):
                assert isinstance(node.value, ast.Dict)
                yield from (text for value in node.value.values for text in _texts_in(value))


def _texts_in(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def test_every_hook_is_named_in_a_test() -> None:
    tests = sorted((ROOT / "packages").glob("*/tests/**/*.py"))
    assert set(HOOKS) - words_in(tests) == set()


# -- everything can be found -------------------------------------------------------------------------------------


def test_every_page_is_in_the_navigation() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = sorted(pages_in(config["nav"]))
    assert listed == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def pages_in(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list | dict):
        for entry in nav.values() if isinstance(nav, dict) else nav:
            yield from pages_in(entry)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_link_is_broken(page: Path) -> None:
    lost = []
    for match in _LINK.finditer(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if match["file"].startswith(("http://", "https://", "mailto:")):
            continue
        target = (page.parent / match["file"]).resolve() if match["file"] else page
        if not target.exists() or (match["anchor"] and match["anchor"] not in anchors_of(target)):
            lost.append(match[0])
    assert lost == []


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as MkDocs creates them."""
    titles = re.findall(r"^#+ (.+)$", _CODE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}
