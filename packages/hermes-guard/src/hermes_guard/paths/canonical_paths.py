"""Converts a path as written to the canonical form that rules match."""

import os
from dataclasses import dataclass
from functools import lru_cache

from hermes_guard import lazy_re as re
from hermes_guard.paths.pattern_index import View

_HOME_FOLDERS = ("home", "users")
# Variables that a caller may not have expanded yet. The boundary keeps `$HOME` from matching `$HOMEBREW`.
_VARIABLE = re.compile(
    r"(?:\$\{?(?:env:)?(HOME|USERPROFILE|HERMES_HOME|XDG_CONFIG_HOME|XDG_DATA_HOME|TMPDIR|PWD|SSH_AUTH_SOCK)\}?|"
    r"%(USERPROFILE|HOMEPATH|APPDATA|LOCALAPPDATA|TEMP|TMP)%)(?=[/\\]|\Z)",
    re.IGNORECASE,
)
_VARIABLES = {
    "home": "~",
    "userprofile": "~",
    "homepath": "~",
    "hermes_home": "~/.hermes",
    "xdg_config_home": "~/.config",
    "xdg_data_home": "~/.local/share",
    "appdata": "~/AppData/Roaming",
    "localappdata": "~/AppData/Local",
    "tmpdir": "/tmp",  # noqa: S108 - a name to compare with; nothing is put there
    "temp": "/tmp",  # noqa: S108
    "tmp": "/tmp",  # noqa: S108
    "pwd": ".",
    "ssh_auth_sock": "/run/ssh-agent/agent.sock",
}
# Directories and files that occur in projects as well as in a home. Below an unknown directory they count as the
# project's.
_ALSO_IN_PROJECTS = frozenset({
    ".agents", ".amazonq", ".ansible", ".ansible.cfg", ".augment", ".aws-sam", ".azure", ".babelrc", ".bazelrc",
    ".boot", ".buckconfig", ".buildkite", ".bundle", ".cargo", ".chef", ".clasprc.json", ".claude", ".clinerules",
    ".codex", ".condarc", ".continue", ".cursor", ".cursorrules", ".docker", ".expo", ".factory", ".fastlane",
    ".flake8", ".fleet", ".flow", ".gemini", ".gitattributes", ".goosehints", ".gradle", ".groovy", ".hasura", ".idea",
    ".jbang", ".junie", ".jupyter", ".jvmopts", ".kilocode", ".kiro", ".konan", ".latexmkrc", ".lightning", ".lua",
    ".luarc", ".m2", ".mill", ".mirrord", ".mvn", ".n8n", ".neptune", ".netlify", ".nova", ".npmrc", ".openhands",
    ".perlcriticrc", ".phpunit.result.cache", ".proto", ".pulumi", ".pylintrc", ".python", ".qwen", ".render", ".roo",
    ".rspec", ".rubocop.yml", ".sbtopts", ".scripts", ".sf", ".sfdx", ".shopify", ".snyk", ".solargraph.yml", ".sonar",
    ".supabase", ".swcrc", ".swiftpm", ".tflint.hcl", ".theia", ".tool-versions", ".trae", ".vercel", ".vim",
    ".vscode", ".warp", ".windsurf", ".wrangler", ".yarn", ".yarnrc", ".yarnrc.yml", ".zed",
})  # fmt: skip
# Prefixes of names that occur both in projects and in homes.
_ALSO_BEGIN_PROJECTS = (".eslintrc", ".jestrc", ".mocharc", ".php-cs-fixer", ".phpunit", ".prettierrc")
# Where other systems keep what Linux keeps in `.config`.
_CONFIG = (
    ("library", "application support"),
    ("library", "preferences"),
    ("appdata", "roaming"),
    ("appdata", "local"),
)
_SANDBOX_FOLDERS = {"config": [".config"], "data": [".local", "share"], "cache": [".cache"]}
_PROCESS = re.compile(r"self|thread-self|[0-9]+|\*|\?")
# The kernel follows no more links in one path.
_MAX_LINKS = 40
# This many steps up always leave a project and may reach the root.
_STEPS_TO_ROOT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The directories that a path is judged from, as lists of case-folded names."""

    workspace: str
    home: str
    workspace_names: list[str]
    home_names: list[str]
    hermes: str
    hermes_names: list[str]
    real_hermes: str
    real_hermes_names: list[str]
    hermes_links: tuple[str, ...]
    temp_names: list[str]

    @staticmethod
    def of(workspace: str, home: str, hermes: str = "") -> "Surroundings":
        """Return the given directories, and those that the environment names."""
        environ = os.environ
        home = home or environ.get("HOME", "")
        hermes = hermes or environ.get("HERMES_HOME", "") or (f"{home}/.hermes" if home else "")
        return _surroundings(workspace, home, hermes, environ.get("TMPDIR", ""))


@lru_cache(maxsize=64)
def _surroundings(workspace: str, home: str, hermes: str, temp: str) -> Surroundings:
    workspace = expand(workspace, home)
    real, links = _resolved(hermes) if hermes.startswith("/") else (hermes, ())
    return Surroundings(
        workspace=workspace,
        home=home,
        workspace_names=_folded(workspace),
        home_names=_folded(home),
        hermes=hermes,
        hermes_names=_folded(hermes),
        real_hermes=real,
        real_hermes_names=_folded(real),
        hermes_links=links,
        temp_names=_folded(temp),
    )


def _resolved(path: str) -> tuple[str, tuple[str, ...]]:
    """Return where an absolute path leads, and the links on the way, each below the real directory that holds it."""
    at, links, names = "", list[str](), path.split("/")
    while names:
        name = names.pop(0)
        if name in ("", "."):
            continue
        if name == "..":
            at = at.rpartition("/")[0]
            continue
        try:
            target = os.readlink(f"{at}/{name}") if len(links) < _MAX_LINKS else ""
        except (OSError, ValueError):
            target = ""
        if not target:
            at = f"{at}/{name}"
            continue
        links.append(f"{at}/{name}")
        names[:0] = target.split("/")
        at = "" if target.startswith("/") else at
    return at or "/", tuple(links)


def _folded(folder: str) -> list[str]:
    """Return the names of an absolute directory; empty for the root, which has none, and for a relative path."""
    return names_of(folder.casefold()) if folder.startswith("/") else []


def expand(text: str, home: str) -> str:
    """Expand the home directory and well-known variables, as a shell would."""
    if text.startswith(("$", "%")):
        text = _VARIABLE.sub(lambda found: _VARIABLES[(found[1] or found[2]).casefold()], text, count=1)
    if not text.startswith("~"):
        return text
    user, slash, rest = text[1:].partition("/")
    if not slash and "." in user:
        return text  # a file name that begins like a variable
    if not user:
        folder = home or "/home/~"
    elif user in "+-":
        folder = "."
    elif user == "root":
        folder = "/root"
    else:
        folder = home if home.rpartition("/")[2] == user else f"/home/{user}"
    return folder + slash + rest


def rooted(text: str, around: Surroundings) -> str:
    """Return the expanded absolute path, as far as the workspace is known; `..` is not yet resolved."""
    text = expand(text, around.home)
    return f"{around.workspace}/{text}" if around.workspace and not text.startswith("/") else text


def names_of(path: str) -> list[str]:
    """Return the names from the root on, without `.`, `..` and aliases of the root."""
    names = _collapsed(path.split("/"), absolute=True)
    while len(names) > 1 and (fewer := _unwrapped(names)) is not names:
        names = _collapsed(fewer, absolute=True)
    return names


def views(rooted_path: str, around: Surroundings) -> list[View]:
    """Return the forms of the path that rules match; several when it is ambiguous."""
    if rooted_path.startswith("/"):
        return [_absolute(names_of(rooted_path), around)]
    names = _collapsed(rooted_path.split("/"), absolute=False)
    path = "/".join(names) or "."
    ups = next((count for count, name in enumerate(names) if name != ".."), len(names))
    # Below an unknown directory: a hidden file may well be in the home, and many steps up may reach the root.
    folded = path.casefold()
    first = folded.partition("/")[0]
    in_project = first in _ALSO_IN_PROJECTS or first.startswith(_ALSO_BEGIN_PROJECTS)
    may_be_home = ups == 0 and path.startswith(".") and not in_project
    found = [_view(path, folded, folded.split("/") if may_be_home else None)]
    if ups >= _STEPS_TO_ROOT and len(names) > ups:
        found.append(_absolute(names_of("/" + "/".join(names[ups:])), around))
    return found


def starts(names: list[str], folder: list[str]) -> bool:
    """Return True when a directory is given and is a prefix of a path."""
    return bool(folder) and names[: len(folder)] == folder


def _absolute(names: list[str], around: Surroundings) -> View:
    path = "/" + "/".join(names)
    folded = path.casefold()
    low = folded[1:].split("/")
    for hermes in (around.hermes_names, around.real_hermes_names):
        if starts(low, hermes):
            # An agent's home is recognized at any location, including by rules that match its default name.
            below = [".hermes", *low[len(hermes) :]]
            return _view(path, "/" + "/".join([*hermes[:-1], *below]), below)
    if starts(low, around.home_names):
        return _view(path, folded, low[len(around.home_names) :])
    depth = _home_depth(low)
    return _view(path, folded, low[depth:] if depth and len(low) >= depth else None)


def _view(path: str, folded: str, below: list[str] | None) -> View:
    """Return a view; `below` are the names below a user's home, None outside of any home."""
    if below is None:
        return View(path, folded, "")
    twin = _twin(below)
    return View(path, folded, _home(below), _home(twin) if twin is not below else "")


def _home(names: list[str]) -> str:
    return "/".join(["~", *names])


def _twin(names: list[str]) -> list[str]:
    """Return the names below the home as on Linux outside sandboxes; the same list when they already are."""
    if len(names) > 4 and names[0] == ".var" and names[1] == "app":
        return [*_SANDBOX_FOLDERS.get(names[3], names[3:4]), *names[4:]]
    if len(names) > 3 and names[0] == "snap":
        return names[3:]
    if len(names) > 4 and names[:2] == ["library", "containers"] and names[3] == "data":
        return _twin(names[4:])
    if len(names) > 2 and (names[0], names[1]) in _CONFIG:
        return [".config", *names[2:]]
    return names


def _home_depth(low: list[str]) -> int:
    """Return the number of names up to a user's home directory; 0 when the path is outside of any home."""
    first = low[0]
    if first in _HOME_FOLDERS:
        return 2
    if first == "root":
        return 1
    second = low[1] if len(low) > 1 else ""
    if (first, second) == ("var", "root"):
        return 2
    if (first, second) in (("var", "home"), ("export", "home"), ("usr", "home")):
        return 3
    if first in ("mnt", "cygdrive") and len(second) == 1 and len(low) > 2 and low[2] == "users":
        return 4
    return 0


def _collapsed(parts: list[str], *, absolute: bool) -> list[str]:
    names: list[str] = []
    for part in parts:
        if part in ("", "."):
            continue
        if part != "..":
            names.append(part)
            if absolute and len(names) in (3, 5) and _is_root(names):
                names.clear()
        elif absolute:
            _step_up(names)
        elif names and names[-1] != "..":
            names.pop()
        else:
            names.append(part)
    return names


def _step_up(names: list[str]) -> None:
    """Move to the parent directory, following the kernel's own links."""
    if names == ["dev", "fd"]:
        names[:] = ["proc", "self"]
    elif len(names) in (3, 4) and names[0] == "proc" and names[2] == ("cwd", "fd")[len(names) - 3]:
        return  # the target is private to the process, so it stays attributed to that process
    elif names:
        names.pop()


def _is_root(names: list[str]) -> bool:
    """Return True for the kernel's name for the root of a process."""
    if names[0].casefold() != "proc" or names[-1].casefold() != "root" or not _PROCESS.fullmatch(names[1].casefold()):
        return False
    return len(names) == 3 or names[2].casefold() == "task"


def _unwrapped(names: list[str]) -> list[str]:
    """Return the path without a prefix that leads back to the root; the same list when there is none."""
    first, second = names[0].casefold(), names[1].casefold()
    if first == "private" and second in ("etc", "var", "tmp", "home"):
        return names[1:]
    if first == "system" and [name.casefold() for name in names[1:3]] == ["volumes", "data"]:
        return names[3:]
    if first == "dev" and second == "fd" and len(names) > 3:
        return ["proc", "self", "fd", *names[2:]]
    if first == "proc" and len(names) > 4 and names[2].casefold() == "task":
        return ["proc", names[3], *names[4:]]
    return names
