"""Reads makefiles and finds the commands that run when a target is built."""

from collections.abc import Iterator, Sequence

from hermes_guard import lazy_re as re
from hermes_guard.shell.word import HOLE

_CONTINUED = re.compile(r"\\\n[ \t]*")
_RULE = re.compile(r"^(?![\t#])([^:=#\n]{1,400}?)\s*::?(?!=)([^=\n]*)$")
_SET = re.compile(r"^(?:export\s+|override\s+)?([A-Za-z_][\w.]*)\s*(\??:{0,3}\+?=|!=)\s*(.*)$")
_SHELL = re.compile(r"\$\(shell\s+([^\n]*)")
_VARIABLE = re.compile(r"\$[({]([\w.]+)[)}]|\$([@<^*?%+])")
_BUILTIN = {"RM": "rm -f", "CC": "cc", "CXX": "c++", "MAKE": "make", "AR": "ar", "SHELL": "sh", "CURDIR": "."}
#: The maximum number of rules followed for one target.
_LIMIT = 200


def commands(text: str, targets: Sequence[str], *, dry: bool = False) -> Iterator[str]:
    """Yield the code that runs for these targets, or for the default one; with `dry`, only what parsing itself runs."""
    rules: dict[str, tuple[list[str], list[str]]] = {}
    values = dict(_BUILTIN)
    current: list[tuple[list[str], list[str]]] = []
    yield from (_closed(found.group(1)) for found in _SHELL.finditer(text))
    for line in _CONTINUED.sub(" ", text).split("\n"):
        if line[:1] == "\t" or (current and line[:2] == "  "):
            for _, recipe in current:
                recipe.append(line.strip())
        elif assigned := _SET.match(line):
            name, operator, value = assigned.groups()
            values[name] = value if "+" not in operator else f"{values.get(name, '')} {value}".strip()
            if operator == "!=":
                yield value
        elif rule := _RULE.match(line):
            needed, _, code = rule.group(2).partition(";")
            current = [rules.setdefault(name.lstrip("@"), ([], [])) for name in rule.group(1).split()]
            for needs, recipes in current:
                needs.extend(needed.split())
                if code.strip():
                    recipes.append(code.strip())
        elif line.strip() and not line.startswith(("#", "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif")):
            current = []
    if not dry:
        yield from _made(rules, targets, values)


def _made(
    rules: dict[str, tuple[list[str], list[str]]], targets: Sequence[str], values: dict[str, str]
) -> Iterator[str]:
    first = next((name for name in rules if not name.startswith(".") or "/" in name), None)
    waiting = list(targets) or ([values[".DEFAULT_GOAL"]] if ".DEFAULT_GOAL" in values else [first] if first else [])
    seen: set[str] = set()
    while waiting and len(seen) < _LIMIT:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        needs, recipes = rules.get(name) or _pattern(rules, name)
        waiting += needs
        for recipe in recipes:
            yield _expanded(recipe.lstrip("@-+ \t"), values)


def _pattern(rules: dict[str, tuple[list[str], list[str]]], name: str) -> tuple[list[str], list[str]]:
    """Return the rule for names of this form, such as `%.o`."""
    for form, rule in rules.items():
        start, percent, end = form.partition("%")
        if percent and name.startswith(start) and name.endswith(end):
            return rule
    return [], []


def _closed(text: str) -> str:
    """Return the text up to the matching closing parenthesis."""
    depth = 1
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth:
            return text[:place]
    return text


def _expanded(recipe: str, values: dict[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        held = values.get(found.group(1) or "")
        return HOLE if held is None or "$" in held else held

    return _VARIABLE.sub(value, recipe).replace("$$", "$")
