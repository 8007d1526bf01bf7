"""Writes the pages under docs/reference from the code, so that no table can say something else than the code does.

`python docs/generate.py` writes them; `--check` writes nothing, prints what is stale, and exits with 1.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import click

import hermes_core
from hermes_core import CallRecord, Decision, Hermes, HermesError, Tool, ToolError, ToolSpec, errors
from hermes_core import hookspecs as specs
from hermes_core.approval.finding import Outcome
from hermes_core.approval.gate import denied
from hermes_core.calls.batch import Footprint, footprint
from hermes_core.calls.plan import Plan
from hermes_core.cli.call import exit_code
from hermes_core.cli.exit_codes import ExitCode
from hermes_core.cli.main import COMMANDS, hermes
from hermes_core.config.core_settings import load_settings
from hermes_core.config.settings import Settings
from hermes_core.plugins.manager import HOOKS
from hermes_core.search.distributions import Distributions
from hermes_core.tools.presets import CORE_TOOLS, LEGACY_TOOLSETS, PRESETS
from hermes_core.tools.spec import EFFECTS

FOLDER = Path(__file__).parent / "reference"
NOTICE = "<!-- Made by docs/generate.py. Change the code that it reads, not this page. -->"


# -- pieces of pages ---------------------------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table. Cells are one line, and a bar in them is no border."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(words: Iterable[str]) -> str:
    """Words as code, with commas between them."""
    return ", ".join(f"`{word}`" for word in words)


def attributes(*classes: type) -> dict[str, str]:
    """What the docstrings of some classes say of each attribute."""
    found: dict[str, str] = {}
    for cls in classes:
        for title, body in _sections(cls)[1]:
            if title == "Attributes":
                found.update(_items(body))
    return found


def _sections(thing: object) -> tuple[str, list[tuple[str, str]]]:
    """A docstring's text, and the sections behind it: `Args`, `Attributes`, `Returns`, `Raises`."""
    doc = inspect.getdoc(thing) or ""
    text, *rest = re.split(r"^(Args|Attributes|Returns|Raises):\n", doc, flags=re.MULTILINE)
    return text.strip(), list(zip(rest[::2], rest[1::2], strict=True))


def _items(body: str) -> dict[str, str]:
    """The `name: text` items of a section; deeper lines belong to the item above them."""
    found: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(body).splitlines():
        match = re.match(r"(\*{0,2}\w+): (.*)", line)
        if match:
            name = match[1]
            found[name] = match[2]
        elif name:
            found[name] += f" {line.strip()}"
    return {key: value.strip() for key, value in found.items()}


def signature(function: Callable[..., object]) -> str:
    """A function's parameters as they are written."""
    parts: list[str] = []
    star = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        star = star or parameter.kind is parameter.VAR_POSITIONAL
        parts.append(_parameter(parameter))
        if parameter.kind is parameter.POSITIONAL_ONLY:
            parts.append("/")
    return f"({', '.join(parts)})"


def _parameter(parameter: inspect.Parameter) -> str:
    text = str(parameter).partition(":")[0].partition("=")[0].strip()  # with its stars, if it has any
    annotated = parameter.annotation is not parameter.empty
    if annotated:
        text += f": {_type_name(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        # A default that a factory makes has no text of its own.
        default = "..." if "factory" in repr(parameter.default) else repr(parameter.default)
        text += f" = {default}" if annotated else f"={default}"
    return text


def _type_name(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else str(getattr(annotation, "__name__", annotation))


# -- hooks -------------------------------------------------------------------------------------------------------

_HOOK_FIELDS = ("When", "Args", "Returns", "Errors", "Since")


def hooks() -> str:
    """Every hook, in the order in which a run calls them."""
    phase_of = _phases()
    sections = [f"# Hooks\n\n{inspect.getdoc(specs)}"]
    overview = ((f"[`{name}`](#{name})", phase_of[name][0], _hook_fields(name)["What"]) for name in HOOKS)
    sections.append(table(["hook", "phase", "what it is for"], overview))
    for name in HOOKS:
        if phase_of[name][1]:
            title, remark = phase_of[name]
            sections.append(f"## {title}\n\nThese hooks are {remark}.")
        fields = _hook_fields(name)
        returns = inspect.signature(getattr(specs, name)).return_annotation
        written = f"```text\n{name}{signature(getattr(specs, name))} -> {returns}\n```"
        rows = ((field, fields[field]) for field in _HOOK_FIELDS)
        sections.append(f"### {name}\n\n{fields['What']}\n\n{written}\n\n{table(['', ''], rows)}")
    return "\n\n".join(sections)


def _phases() -> dict[str, tuple[str, str]]:
    """Each hook's phase from the banner above it, with what the banner says of it at the phase's first hook."""
    source = inspect.getsource(specs)
    banner = re.compile(r"^# -{20,}\n# (?P<title>[^:\n]+): (?P<remark>.+)\n# -{20,}$|^def (?P<hook>\w+)", re.MULTILINE)
    found: dict[str, tuple[str, str]] = {}
    title = remark = ""
    for match in banner.finditer(source):
        if match["hook"]:
            found[match["hook"]] = (title, remark)
            remark = ""
        else:
            title, remark = match["title"], match["remark"]
    return found


def _hook_fields(name: str) -> dict[str, str]:
    doc = inspect.getdoc(getattr(specs, name)) or ""
    what, *rest = re.split(rf"^({'|'.join(_HOOK_FIELDS)}): ", doc, flags=re.MULTILINE)
    fields = {"What": what.strip(), **dict(zip(rest[::2], rest[1::2], strict=True))}
    missing = [field for field in _HOOK_FIELDS if field not in fields]
    if missing:
        raise SystemExit(f"The docstring of {name} does not say {', '.join(missing)}.")
    return fields


# -- commands ----------------------------------------------------------------------------------------------------


def commands() -> str:
    """Every command, its arguments and options, and the exit codes."""
    overview = ((f"[`hermes {name}`](#hermes-{name})", entry.summary) for name, entry in COMMANDS.items())
    sections = [
        f"# Commands\n\n{hermes.help}",
        table(["command", "what it does"], overview),
        "`--help` explains `hermes` and each of its commands. These options belong to `hermes` itself; `--debug` may "
        "also stand behind a command.",
        _options(hermes, click.Context(hermes, info_name="hermes")),
    ]
    parent = click.Context(hermes, info_name="hermes")
    for name in COMMANDS:
        command = hermes.get_command(parent, name)
        assert command is not None
        sections.append(_command(name, command, click.Context(command, parent=parent, info_name=name)))
    codes = ((f"`{entry.value}`", entry.meaning) for entry in ExitCode)
    sections.append(f"## Exit codes\n\nThe numbers are stable.\n\n{table(['code', 'meaning'], codes)}")
    return "\n\n".join(sections)


def _command(name: str, command: click.Command, ctx: click.Context) -> str:
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    parts = [f"## hermes {name}", f"```text\n{usage}\n```"]
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):  # click's mark for lines that must stay as they are
            parts.append(f"```text\n{paragraph.removeprefix(chr(8)).strip()}\n```")
        else:
            parts.append(paragraph)
    parts.append(_options(command, ctx))
    if isinstance(command, click.Group):
        subcommands = [(f"`{sub}`", each.get_short_help_str(200)) for sub, each in command.commands.items()]
        parts.append(table(["subcommand", "what it does"], subcommands))
    return "\n\n".join(parts)


def _options(command: click.Command, ctx: click.Context) -> str:
    rows = []
    for parameter in command.get_params(ctx):
        if isinstance(parameter, click.Option) and "--help" not in parameter.opts:
            metavar = "" if parameter.is_flag else f" {_metavar(parameter, ctx)}"
            rows.append((f"`{', '.join(parameter.opts)}{metavar}`", parameter.help or ""))
    return table(["option", "meaning"], rows)


def _metavar(option: click.Option, ctx: click.Context) -> str:
    if isinstance(option.type, click.Choice):
        return "[" + "|".join(str(choice) for choice in option.type.choices) + "]"
    return option.metavar or option.make_metavar(ctx)


# -- errors ------------------------------------------------------------------------------------------------------


def error_page() -> str:
    """The tree of exceptions, what each carries, and what a model, a program and a script are told."""
    first, tree = (inspect.getdoc(errors) or "").split("\n\n", 1)
    kinds = list(_subclasses(HermesError))
    rows = [(f"`{kind.__name__}`", f"`{kind.code}`", _sections(kind)[0], _carried(kind)) for kind in kinds]
    public = [kind.__name__ for kind in kinds if kind.__name__ in hermes_core.__all__]
    return "\n\n".join(
        [
            f"# Errors\n\n{first}",
            f"```text\n{tree}\n```",
            "Every error carries its facts as attributes, and a stable `code`. From `hermes_core` itself come "
            f"{code(public)}; the others are in `hermes_core.errors`.",
            table(["error", "code", "meaning", "carries"], rows),
            "## What becomes of a call\n\n"
            "A `ToolError` never leaves the pipeline. It becomes the result of the call, as JSON with its `code`. The "
            "`status` is what [`CallRecord`](api.md#callrecord) says, and `hermes call` ends with the exit code.",
            table(["code", "status", "exit code of `hermes call`"], _call_endings()),
            "## What was decided\n\n"
            "A result with the code `denied` says in `decision` why the call did not run. The same word is the "
            "`outcome` of a [`Decision`](api.md#decision).",
            table(["decision", "what the model reads"], _decisions()),
        ]
    )


def _subclasses(kind: type[HermesError]) -> Iterator[type[HermesError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _subclasses(child)


def _carried(kind: type[HermesError]) -> str:
    if "__init__" not in vars(kind) and kind.__init__ is Exception.__init__:
        return ""
    source = inspect.getsource(kind.__init__) if inspect.isfunction(kind.__init__) else ""
    return code(re.findall(r"self\.(\w+) = ", source))


def _call_endings() -> Iterator[tuple[str, str, str]]:
    """Real calls of a tool that raises each error, so that the table shows what happens and not what was meant."""
    fine = _record_of(lambda: "fine")
    yield "none", f"`{fine.status}`", f"`{exit_code(fine).value}`"
    for kind in _subclasses(ToolError):

        def fail(kind: type[Any] = kind) -> str:
            raise kind("x")

        record = _record_of(fail)
        yield f"`{record.code}`", f"`{record.status}`", f"`{exit_code(record).value}`"


def _record_of(handler: Callable[[], str]) -> CallRecord:
    tool = Tool.from_schema({"name": "probe"}, lambda _args: handler())
    with tempfile.TemporaryDirectory() as home, Hermes(tools=[tool], home=home) as host:
        return host.run("probe")


def _decisions() -> Iterator[tuple[str, str]]:
    for outcome in get_args(Outcome):
        said = denied("NAME", Decision(outcome=outcome, reason="REASON")).message
        yield f"`{outcome}`", "the tool's result" if outcome == "allowed" else said


# -- toolsets ----------------------------------------------------------------------------------------------------


def toolsets() -> str:
    """The built-in toolsets, the old names, and the distributions."""
    presets = ((f"`{preset.name}`", preset.description, _tools_of(preset)) for preset in PRESETS)
    legacy = ((f"`{name}`", code(tools)) for name, tools in LEGACY_TOOLSETS.items())
    known = Distributions()
    rows = ((f"`{name}`", known.get(name).description, _chances(known.get(name).chances)) for name in known.names())
    return "\n\n".join(
        [
            "# Toolsets\n\nA toolset is a named group of tools. These are built in; plugins, applications and "
            "`config.yaml` add more. [Compose toolsets](../how-to/compose-toolsets.md) says how they are used.",
            "Naming a tool here does not make it exist. A tool exists when the plugin that brings it is installed. "
            "`all` and `*` always mean every installed tool.",
            f"## Presets\n\n{table(['toolset', 'what it is for', 'tools'], presets)}",
            f"### The core tools\n\nThe command line and the chat platforms share this list: {code(CORE_TOOLS)}.",
            "## Old names\n\nThese names of old configurations still work.\n\n" + table(["name", "tools"], legacy),
            "## Distributions\n\nA distribution says how likely each toolset is to be offered in one run of a batch. "
            "Each toolset is rolled for on its own.\n\n"
            + table(["distribution", "what it is for", "chance of each toolset"], rows),
        ]
    )


def _tools_of(preset: hermes_core.Toolset) -> str:
    if preset.tools == CORE_TOOLS:
        return "[the core tools](#the-core-tools)"
    included = f"everything in {code(preset.includes)}" if preset.includes else ""
    return "; ".join(part for part in (code(preset.tools), included) if part) or "what its family registers"


def _chances(chances: Mapping[str, float]) -> str:
    return ", ".join(f"`{toolset}` {chance:g} %" for toolset, chance in chances.items())


# -- settings ----------------------------------------------------------------------------------------------------

# A key of config.yaml for each field of Settings, with a value to try it with: `_proven` refuses a wrong pair.
_KEYS: dict[str, tuple[str, str]] = {
    "plugins_enabled": ("plugins.enabled", "[dice]"),
    "plugins_disabled": ("plugins.disabled", "[dice]"),
    "plugins_upstream": ("plugins.upstream", "true"),
    "toolsets": ("toolsets", "{research: {tools: [web_search]}}"),
    "toolset_distributions": ("toolset_distributions", "{mine: {web: 90, terminal: 25}}"),
    "call_timeout": ("calls.timeout", "60"),
    "hook_timeout": ("calls.hook_timeout", "5"),
    "approval_timeout": ("calls.approval_timeout", "120"),
    "reader_tool": ("results.reader_tool", "open_file"),
}


def settings() -> str:
    """Every key of `config.yaml`."""
    fields = list(Settings._fields)
    if fields != list(_KEYS):
        raise SystemExit(f"docs/generate.py knows the settings {list(_KEYS)}, the code has {fields}: mend _KEYS.")
    said = attributes(Settings)
    rows = []
    for field in fields:
        key, example = _KEYS[field]
        default = _proven(field, key, example)
        rows.append((f"`{key}`", said[field], f"`{default}`", f"`{_yaml(key, example)}`", f"`{field}`"))
    return "\n\n".join(
        [
            "# Settings\n\nThe core reads `config.yaml` in `$HERMES_HOME`, which is `~/.hermes` unless the environment "
            "variable says otherwise. Without a file the defaults hold. A file that cannot be used is refused, with "
            "the place of the mistake and a remedy; it is never taken as empty.",
            "The last column is the field of `hermes_core.config.settings.Settings`, for applications that pass "
            "`Hermes(settings=...)`.",
            table(["key", "meaning", "default", "example", "field"], rows),
        ]
    )


def _yaml(key: str, value: str) -> str:
    section, _, name = key.rpartition(".")
    return f"{section}: {{{name}: {value}}}" if section else f"{key}: {value}"


def _proven(field: str, key: str, example: str) -> str:
    """The field's default, after a look that the key sets this field and no other."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.yaml"
        file.write_text(_yaml(key, example), encoding="utf-8")
        loaded = load_settings(file)
    plain = Settings()
    changed = [name for name in _KEYS if getattr(loaded, name) != getattr(plain, name)]
    if changed != [field]:
        raise SystemExit(f"The key {key} sets {changed}, not {field}: mend _KEYS in docs/generate.py.")
    value = getattr(plain, field)
    return "not set" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


# -- the fields of a tool ----------------------------------------------------------------------------------------


def tool_fields() -> str:
    """What a tool is made of, and what its effects change."""
    said = attributes(ToolSpec, Tool)
    rows = [
        (f"`{field.name}`", f"`{field.type}`", _default(field), said[field.name]) for field in dataclasses.fields(Tool)
    ]
    effects = ((f"`{effect}`", *_effect(effect)) for effect in sorted(EFFECTS))
    return "\n\n".join(
        [
            "# Fields of a tool\n\nA tool is a frozen value. `@tool(...)`, `Tool.from_function` and "
            "`Tool.from_schema` set its fields. [Declare a tool](../how-to/declare-a-tool.md) shows them in use.",
            "`ToolSpec` has all fields but those that hold code. The registry, hooks and listings work with it, so "
            "nobody can run a tool around the pipeline.",
            table(["field", "type", "default", "meaning"], rows),
            "## Effects\n\nEffects say what a tool may do to the world. Policy is written in these words, and they "
            "decide what may run at the same time and where a handler runs.",
            table(["effect", "in a batch", "a sync handler always gets a thread"], [("none", *_effect()), *effects]),
        ]
    )


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
        shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else repr(value)
        return f"`{shown}`"
    return "`{}`" if field.default_factory is not dataclasses.MISSING else "required"


def _effect(*effects: str) -> tuple[str, str]:
    """What the batch planner and the runner make of a tool with these effects, by asking them."""
    tool = Tool.from_schema({"name": "probe"}, print, effects=effects)
    touched = footprint(tool.spec, {})
    named = footprint(tool.spec, {"path": "x"})
    return _batch_words(touched, named), "yes" if Plan(tool, 300.0, exact=False).handler.exact else "until proven quick"


def _batch_words(touched: Footprint, named: Footprint) -> str:
    if touched.exclusive:
        return "runs alone"
    if touched.changes:
        return "waits for calls that touch the same paths; without a path argument, any path"
    if touched.paths:
        return "waits for changes of the same paths; without a path argument, of any path"
    return "waits for calls that touch the same paths" if named.changes else "waits for nothing"


# -- the Python API ----------------------------------------------------------------------------------------------

_ROOMS = {
    "host": "The host",
    "tools": "Tools",
    "calls": "Calls",
    "schemas": "Calls",
    "approval": "Policy",
    "plugins": "Plugins",
    "hookspecs": "Plugins",
}


def api() -> str:
    """Everything that `hermes_core` exports but the errors."""
    grouped: dict[str, list[str]] = {title: [] for title in _ROOMS.values()}
    for name in hermes_core.__all__:
        value = getattr(hermes_core, name)
        if isinstance(value, type) and issubclass(value, HermesError):
            continue
        module = "plugins" if name in ("API_VERSION", "hookimpl") else value.__module__.split(".")[1]
        grouped[_ROOMS[module]].append(_described(name, value))
    sections = [f"## {title}\n\n" + "\n\n".join(parts) for title, parts in grouped.items()]
    lead = (
        "# Python API\n\nEverything here is imported from `hermes_core`. The exceptions are on "
        "[their own page](errors.md), and the fields of a tool on [another](tool-fields.md)."
    )
    return "\n\n".join([lead, *sections])


def _described(name: str, value: Any) -> str:
    if name == "API_VERSION":
        return (
            f"### {name}\n\n`{value!r}`. The version of the hooks and of what plugins may import: it changes when a "
            "plugin could notice."
        )
    if name == "hookimpl":
        return f"### {name}\n\nMarks a function or method as the implementation of the [hook](hooks.md) of its name."
    shown = "(*, name, toolset, parameters, ...)" if value in (Tool, ToolSpec) else signature(value)
    parts = [f"### {name}\n\n```text\n{name}{shown}\n```", _prose(value)]
    if isinstance(value, type):
        parts += [_member(name, key, value) for key in _members(value)]
    return "\n\n".join(parts)


def _members(cls: type) -> list[str]:
    return [
        key
        for key, member in vars(cls).items()
        if key[0] != "_" and (inspect.isfunction(member) or isinstance(member, (property, classmethod, staticmethod)))
    ]


def _member(owner: str, key: str, cls: type) -> str:
    member = inspect.getattr_static(cls, key)
    if isinstance(member, property):
        return f"#### {owner}.{key}\n\n{_prose(member)}"
    function = getattr(cls, key)
    word = "async " if inspect.iscoroutinefunction(function) else ""
    returns = inspect.signature(function).return_annotation
    written = f"{word}{key}{signature(function)} -> {_type_name(returns)}"
    return f"#### {owner}.{key}\n\n```text\n{written}\n```\n\n{_prose(function)}"


def _prose(thing: object) -> str:
    """A docstring as Markdown: its text, then its sections as lists."""
    text, sections = _sections(thing)
    parts = [text]
    for title, body in sections:
        items = _items(body)
        listed = "\n".join(f"- `{name}`: {said}" for name, said in items.items())
        parts.append(f"{title}:\n\n{listed}" if items else f"{title}: {' '.join(body.split())}")
    return "\n\n".join(parts)


# -- writing and checking ----------------------------------------------------------------------------------------

PAGES: dict[str, Callable[[], str]] = {
    "hooks": hooks,
    "commands": commands,
    "errors": error_page,
    "toolsets": toolsets,
    "settings": settings,
    "tool-fields": tool_fields,
    "api": api,
}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or with `--check` say which are stale."""
    check = "--check" in arguments
    stale = 0
    for name, make in PAGES.items():
        file = FOLDER / f"{name}.md"
        new = f"{NOTICE}\n\n{make()}\n"
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        if new == old:
            continue
        stale += 1
        if check:
            lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"{file} (stored)", f"{file} (from code)")
            print("\n".join([*lines]))
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(new, encoding="utf-8")
            print(f"wrote {file}")
    if check and stale:
        print(f"{stale} pages are stale: run python docs/generate.py", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
