"""Judges one path: every reading of it, the targets of links, and the type of file."""

import os
import posixpath
import stat
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import get_args

from hermes_guard.paths.canonical_paths import Surroundings, expand, names_of, rooted, starts, views
from hermes_guard.paths.deobfuscation import from_windows, spellings
from hermes_guard.paths.file_identity import Identities
from hermes_guard.paths.filesystem import ResolvedPath, identity, look
from hermes_guard.paths.globs import beginning_reaches, fits, has_glob, paths_matched, probes_hit
from hermes_guard.paths.pattern_index import PatternIndex, View
from hermes_guard.paths.rule import Op, PathRule
from hermes_guard.paths.write_locations import outside
from hermes_guard.verdict import Finding, Verdict

# No system accepts a longer path, so the rest of a longer text is ignored.
_MAX_LENGTH = 4096
_OPS = get_args(Op)
_ALLOWED = Verdict()
_DEVICE_NUMBERS = frozenset({(1, 3), (1, 5), (1, 7), (1, 8), (1, 9), (5, 0), (5, 1), (5, 2)})
# Block devices that are not physical disks; rules cover them.
_HARMLESS_DISKS = ("/dev/loop", "/dev/ram", "/dev/zram", "/dev/sr")
_LOCK = "hermes.lock"
# With more of them, listing all matching directories takes too long.
_MAX_WILD_FOLDERS = 2
_KERNEL_LINKS = ("/dev/", "/proc/")
_KERNEL_MEMORY = frozenset({(1, 1), (1, 2), (1, 4)})


def _unique(rules: Iterable[PathRule]) -> tuple[PathRule, ...]:
    found: dict[str, PathRule] = {}
    for rule in rules:
        if rule.id in found:
            raise ValueError(f"{rule.id}: two rules have this id")
        found[rule.id] = rule
    return tuple(found.values())


class PathPolicy:
    """An immutable set of path rules, ready for judging; `with_rules` returns another."""

    def __init__(
        self, rules: Iterable[PathRule] | None = None, *, added: frozenset[str] = frozenset(), hermes_home: str = ""
    ) -> None:
        #: The home of the guarded agent; `$HERMES_HOME` or `~/.hermes` by default.
        self.hermes_home = hermes_home
        #: The ids of the rules that `with_rules` added.
        self.added = added
        if rules is not None:
            self.rules = _unique(rules)
        self._identities = Identities()
        self._indices: dict[Op, PatternIndex] = {}

    @cached_property
    def rules(self) -> tuple[PathRule, ...]:
        """The rules in their declared order; the built-in ones are loaded for the first path."""
        from hermes_guard.paths.rules import RULES

        return RULES

    def with_rules(self, added: Iterable[PathRule]) -> "PathPolicy":
        """Return a policy with additional rules. A rule with an existing id replaces the earlier one."""
        new = {rule.id: rule for rule in added}
        ids = self.added | new.keys()
        kept = [new.pop(rule.id, rule) for rule in self.rules]
        return PathPolicy((*kept, *new.values()), added=ids, hermes_home=self.hermes_home)

    def without(self, *ids: str) -> "PathPolicy":
        """Return a policy without some rules."""
        kept = (rule for rule in self.rules if rule.id not in ids)
        return PathPolicy(kept, added=self.added.difference(ids), hermes_home=self.hermes_home)

    def judge(
        self,
        op: Op,
        path: str | os.PathLike[str],
        *,
        workspace: str | os.PathLike[str] | None = None,
        home: str | os.PathLike[str] | None = None,
    ) -> Verdict:
        """Judge reading or writing a path; see `judge_path`."""
        if op not in _OPS:
            raise ValueError(f"The operations are 'read' and 'write', not {op!r}")
        text = _text(path)
        if text is None:
            return Verdict((_finding("path.malformed", op, "It is not a path."),))
        if not text.strip():
            return Verdict((_finding("path.empty", op, "The path is empty.", text),))
        folders = from_windows(_text(workspace) or ""), from_windows(_text(home) or "")
        around = Surroundings.of(*folders, self.hermes_home)
        judging = _Judging(self, op, around, explicit_home=home is not None)
        judging.judge(text)
        return Verdict(tuple(judging.findings.values())) if judging.findings else _ALLOWED

    def holds_agent(self, path: str, *, home: str | None = None, hidden: bool = True) -> bool:
        """Return True when the agent's home is below a directory, so moving, mounting or reading that affects it.

        Args:
            path: An absolute path, which may be a glob.
            home: The user's home directory.
            hidden: Whether the directories between them may be hidden.
        """
        around = Surroundings.of("", from_windows(home or ""), self.hermes_home)
        if not path.startswith("/") or not around.hermes.startswith("/"):
            return False
        names = names_of(path.casefold())
        default = [*around.home_names, ".hermes"]  # how commands name it, wherever it is
        if len(names) == len(default) and all(map(fits, names, default)):
            return True
        count = next(
            (
                len(names)
                for other in (around.hermes_names, around.real_hermes_names)
                if len(names) <= len(other) and all(map(fits, names, other))
            ),
            _same_directory(path, around.real_hermes),
        )
        return count is not None and (
            hidden or not any(name.startswith(".") for name in around.real_hermes_names[count:])
        )

    def may_name_agent(self, glob: str, *, home: str | None = None) -> bool:
        """Return True when a glob may match a file of the agent. Nothing is looked up."""
        around = Surroundings.of("", from_windows(home or ""), self.hermes_home)
        return fits(glob.rpartition("/")[2], _LOCK) or any(beginning_reaches(glob, each) for each in _homes(around))

    def matches(self, op: Op, view: View) -> tuple[list[PathRule], bool]:
        """Return the rules that match one form of a path, and whether an `allow` rule lifted all but refusals."""
        index = self._indices.get(op)
        if index is None:  # most processes use one operation only
            index = self._indices[op] = PatternIndex(rule for rule in self.rules if op in rule.ops)
        rules = index.rules(view)
        if any(rule.severity == "allow" for rule in rules):
            return [rule for rule in rules if rule.severity == "refuse"], True
        if len(rules) > 1:
            rules = [rule for rule in rules if not rule.broad or rule.severity == "refuse"] or rules
        return rules, False

    def other_names(self, path: str, status: os.stat_result, around: Surroundings) -> list[str]:
        """Return the protected names of a file that was reached under another one."""
        return self._identities.names(path, status, self.known_files, around)

    @cached_property
    def known_files(self) -> tuple[str, ...]:
        """Files that rules or their examples name, so that other names of the same file are recognized.

        Those that begin neither at the root nor at the home belong to a project.
        """
        rules = [rule for rule in self.rules if rule.severity != "allow"]
        named = [name for rule in rules for name in (*rule.patterns, *rule.match)]
        # Files that are protected anywhere are usually in the home or in the project.
        hidden = [f"~/{name[3:]}" for name in named if name.startswith("**/.")]
        placed = [*hidden, *(name.removeprefix("**/") for name in named)]
        return tuple(dict.fromkeys(name for name in placed if not has_glob(name) and "$" not in name))

    @cached_property
    def probes(self) -> dict[Op, tuple[str, ...]]:
        """Example paths per operation, for matching a glob."""
        return {
            op: tuple(path for rule in self.rules if op in rule.ops and rule.severity != "allow" for path in rule.match)
            for op in _OPS
        }


class _Judging:
    """The judgment of one path."""

    def __init__(self, policy: PathPolicy, op: Op, around: Surroundings, *, explicit_home: bool) -> None:
        self.policy = policy
        self.op = op
        self.around = around
        self.explicit_home = explicit_home
        self.findings: dict[str, Finding] = {}
        self._judged: set[str] = set()

    def judge(self, text: str) -> None:
        if len(text) > _MAX_LENGTH:
            self._add("path.too-long", "The path is too long for any file.", text[:200])
            text = text[:_MAX_LENGTH]
        found, problems = spellings(text)
        for problem in problems:
            self._add(problem.rule, problem.reason, text)
        foreign = from_windows(text) != text
        for number, spelling in enumerate(found):
            place = rooted(spelling, self.around)
            self._judge_views(views(place, self.around), certain=number == 0 or foreign)
            if ".." in place and place.startswith(_KERNEL_LINKS):
                # Programs that shorten a path before opening it do not follow the kernel's links.
                self._judge_views(views(posixpath.normpath(place), self.around), certain=False)
            if has_glob(spelling):
                self._judge_glob(spelling)
        whole = rooted(found[0], self.around)
        if whole.startswith("/"):
            self._look(whole)
            self._judge_link(whole)

    def _judge_link(self, path: str) -> None:
        """Judge a link on the way to the agent's home: replacing it gives the agent another home."""
        links = self.around.hermes_links if self.op == "write" else ()
        if links:
            folder, _, name = f"/{'/'.join(names_of(path))}".rpartition("/")
            if f"{_real(folder or '/').rstrip('/')}/{name}" in links:
                self._judge_views(views(self.around.hermes, self.around), certain=False)

    def _judge_glob(self, spelling: str) -> None:
        probes = self.policy.probes[self.op]
        hit = probes_hit(self._below_home(spelling), probes)
        place = rooted(spelling, self.around)
        for home in _homes(self.around):
            below = beginning_reaches(place, home)
            if below:
                self._judge_views(views(f"{home}/{below}", self.around), certain=False)
                # Examples use the agent's default home, which may be configured differently.
                own = [probe for probe in probes if probe.startswith("~/.hermes/")]
                hit += paths_matched(f"~/.hermes/{below}", own)
        for probe in dict.fromkeys(hit):
            self._judge_views(views(rooted(probe, self.around), self.around), certain=False)
        if self.op == "write" and place.startswith("/") and (lock := _lock_matched(place)):
            self._judge_views(views(lock, self.around), certain=False)

    def _below_home(self, spelling: str) -> str:
        """Return a glob in the form of the examples: beginning with `~` when it is in the home."""
        home = self.around.home.rstrip("/")
        if home and spelling.startswith(f"{home}/"):
            return f"~{spelling[len(home) :]}"
        return expand(spelling, "~")

    def _judge_views(self, found: list[View], *, certain: bool) -> None:
        for view in found:
            if view.path in self._judged:
                continue
            self._judged.add(view.path)
            inside = starts(view.full[1:].split("/"), self.around.workspace_names)
            rules, lifted = self.policy.matches(self.op, view)
            for rule in rules:
                if rule.in_workspace or not inside:
                    self._add(rule.id, rule.reason, view.path, severity=rule.severity, effects=rule.effects)
            # A second reading of the text is compared with the rules only; the first one determines the location.
            if self.op == "write" and certain and not (inside or rules or lifted):
                self._judge_place(view)

    def _judge_place(self, view: View) -> None:
        where = outside(view, self.around, explicit_home=self.explicit_home)
        if where:
            self._add(where.rule, where.reason, view.path)

    def _look(self, path: str) -> None:
        hermes = self.around.hermes
        seen = look(path, identity(hermes) if hermes.startswith("/") else None)
        if seen.unclear:
            self._add("path.unresolved", f"The path goes through {seen.unclear}.", path)
        if seen.passed:  # the agent's home, under any name
            self._judge_views(views(hermes + seen.path[len(seen.passed) :], self.around), certain=False)
        self._judge_elsewhere(seen.path)
        if seen.status is not None:
            self._judge_kind(seen, seen.status)

    def _judge_elsewhere(self, path: str) -> None:
        """Judge the targets of links, relative to the resolved known directories."""
        lexical = self.around
        (view,) = views(path, lexical)
        known = view.path in self._judged
        if known and starts(view.full[1:].split("/"), lexical.home_names):
            return
        home = _real_home(lexical.home)
        if known and home == lexical.home:
            return
        self._judged.discard(view.path)
        self.around = Surroundings.of(_real(lexical.workspace), home, lexical.hermes)
        self._judge_views(views(path, self.around), certain=not known)
        self.around = lexical

    def _judge_kind(self, seen: ResolvedPath, status: os.stat_result) -> None:
        mode = status.st_mode
        if stat.S_ISREG(mode):
            if status.st_nlink > 1:
                self._judge_other_names(seen.path, status)
        elif stat.S_ISFIFO(mode):
            self._add("path.fifo", "It is a pipe: a program that opens it waits for the other end.", seen.path)
        elif stat.S_ISSOCK(mode):
            self._add("path.socket", "It is a socket: a program listens there.", seen.path)
        elif stat.S_ISBLK(mode) and not seen.path.startswith(_HARMLESS_DISKS):
            self._judge_device("path.raw-disk", seen.path)
        elif stat.S_ISCHR(mode) and not seen.path.startswith("/dev/"):
            number = (os.major(status.st_rdev), os.minor(status.st_rdev))
            if number not in _DEVICE_NUMBERS:
                self._judge_device("path.kernel-memory" if number in _KERNEL_MEMORY else "path.device", seen.path)

    def _judge_device(self, rule: str, path: str) -> None:
        if rule == "path.device" or self.op == "read":
            self._add("path.device", "It is a device, not a file.", path)
        else:
            severity = "refuse" if rule == "path.raw-disk" else "ask"
            self._add(rule, "It is a raw device, whatever its name.", path, severity=severity)

    def _judge_other_names(self, path: str, status: os.stat_result) -> None:
        for other in self.policy.other_names(path, status, self.around):
            if other != path:
                self._judge_views(views(other, self.around), certain=False)

    def _add(
        self,
        rule: str,
        reason: str,
        path: str,
        *,
        severity: str = "ask",
        effects: frozenset[str] = frozenset(),
    ) -> None:
        if rule not in self.findings:
            self.findings[rule] = _finding(rule, self.op, reason, path, severity=severity, effects=effects)


def _homes(around: Surroundings) -> list[str]:
    """Return the paths under which commands reach the agent's home."""
    found = dict.fromkeys((around.hermes, around.real_hermes, f"{around.home}/.hermes"))
    return [home for home in found if home.startswith("/")]


def _same_directory(path: str, home: str) -> int | None:
    """Return how many names lead to a directory on the way to the agent's home; None when it is not on the way."""
    wanted = identity(path)
    names = home.strip("/").split("/")
    for count in range(len(names), -1, -1) if wanted is not None else ():
        if identity(f"/{'/'.join(names[:count])}") == wanted:
            return count
    return None


def _lock_matched(glob: str) -> str:
    """Return an existing `hermes.lock` that a glob matches, or an empty string."""
    folder, _, name = glob.rpartition("/")
    if not fits(name, _LOCK) or sum(map(has_glob, folder.split("/"))) > _MAX_WILD_FOLDERS:
        return ""
    from glob import iglob

    return next(iglob(f"{folder}/{_LOCK}"), "")


def _real(folder: str) -> str:
    return look(folder).path if folder.startswith("/") else folder


@lru_cache(maxsize=64)  # homes do not move while a program runs
def _real_home(home: str) -> str:
    return _real(home)


def _finding(
    rule: str,
    op: Op,
    reason: str,
    path: str = "",
    *,
    severity: str = "ask",
    effects: frozenset[str] = frozenset(),
) -> Finding:
    return Finding(
        rule=rule,
        severity="refuse" if severity == "refuse" else "ask",
        reason=reason,
        effects=effects | {op},
        path=path,
    )


def _text(path: object) -> str | None:
    """Return the path as a string; None when it is not a path."""
    try:
        return path if isinstance(path, str) else os.fsdecode(path)  # type: ignore[arg-type]
    except Exception:  # a path-like object is third-party code, and the guard never raises
        return None
