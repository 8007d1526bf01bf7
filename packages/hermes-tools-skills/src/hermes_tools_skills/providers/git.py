"""Skills in any git repository, read by the program `git` without a checkout, so that no filter or hook runs."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from urllib.parse import urlsplit

from hermes_tools_skills.providers.file_checks import is_left_out
from hermes_tools_skills.providers.protocol import (
    CatalogEntry,
    FetchedSkill,
    FileNameError,
    SkillFile,
    SourceAccess,
    SourceError,
)
from hermes_tools_skills.providers.skill_text import choose_skill, read_front, text_field
from hermes_tools_skills.skill import FILES

_SSH = re.compile(r"(?:ssh://)?(?:[A-Za-z0-9_][\w.-]*@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*)[:/](?!/)\S+", re.ASCII)
_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}")
_SECONDS = 180.0
_MAX_BLOCKS = 1 << 20
"""The maximum size of a file that git writes, in blocks of 512 bytes: packs of half a gigabyte."""
_OPTIONS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.askPass=",
    "http.followRedirects=false",
    "submodule.recurse=false",
    "transfer.fsckObjects=true",
    "gc.auto=0",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    url: str
    ref: str
    path: str
    protocols: str


class Git:
    """Clones a repository. An identifier is `URL[@branch-or-tag][#directory]`."""

    title = "git"

    def search(self, query: str, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:  # noqa: ARG002 - a protocol
        """Return nothing: repositories have no catalog."""
        return ()

    def browse(self, limit: int, access: SourceAccess) -> Sequence[CatalogEntry]:  # noqa: ARG002 - a protocol
        """Return nothing: repositories have no catalog."""
        return ()

    def inspect(self, identifier: str, access: SourceAccess) -> CatalogEntry:
        """Return what the SKILL.md says, with the hash of the directory as the revision."""
        return self.fetch(identifier, access).entry

    def fetch(self, identifier: str, access: SourceAccess) -> FetchedSkill:
        """Clone the last commit into a temporary directory, and read the skill from it."""
        target = _parse(identifier, access)
        folder = Path(mkdtemp(prefix="git-", dir=access.work_dir))
        try:
            return _fetch(identifier, target, folder / "repository", access)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _parse(identifier: str, access: SourceAccess) -> _Target:
    rest, _, path = identifier.partition("#")
    url, ref = rest, ""
    if rest.rfind("@") > rest.rfind("/") >= 0:
        url, _, ref = rest.rpartition("@")
    if ref and not _REF.fullmatch(ref):
        raise SourceError(f"{ref[:200]!r} is not a branch or tag.")
    parts = urlsplit(url)
    if parts.scheme in ("https", "http"):
        _require_reachable(url, access)
        return _Target(url=url, ref=ref, path=path.strip("/"), protocols=parts.scheme)
    found = _SSH.fullmatch(url)
    if not found or (parts.scheme and "://" in url and parts.scheme != "ssh"):
        raise SourceError(f"git repositories are read with https or ssh, not from {url[:200]!r}.", kind="refused")
    _require_reachable(f"https://{found['host']}/", access)
    return _Target(url=url, ref=ref, path=path.strip("/"), protocols="ssh")


def _require_reachable(url: str, access: SourceAccess) -> None:
    from hermes_net import check_url

    if access.web.is_own(url):
        return
    if urlsplit(url).scheme != "https" and not access.policy.allow_private:
        raise SourceError(f"Skills are downloaded with https only, not from {url[:200]}.", kind="refused")
    if not (verdict := check_url(url, policy=access.policy)):
        raise SourceError(f"{url[:200]} may not be reached: {verdict.reason}", kind="refused")


def _fetch(identifier: str, target: _Target, folder: Path, access: SourceAccess) -> FetchedSkill:
    access.progress(f"Cloning {target.url}", 0, 0)
    environ = _environ(access.environ, target.protocols)
    branch = ("--branch", target.ref) if target.ref else ()
    clone = ("clone", "--bare", "--depth=1", "--single-branch", "--no-tags", "--template=", *branch, "--", target.url)
    _git(*clone, str(folder), environ=environ)
    inside = (f"--git-dir={folder}",)
    listed = _git(*inside, "ls-tree", "-r", "-t", "-z", "--long", "HEAD", environ=environ)
    entries = [_tree_line(line) for line in listed.split(b"\0") if line]
    skill = choose_skill([path for _, kind, _, _, path in entries if kind == "blob"], target.path, target.url)
    prefix = f"{skill}/" if skill else ""
    chosen = [
        (mode, sha, size, path[len(prefix) :])
        for mode, kind, sha, size, path in entries
        if path.startswith(prefix) and kind != "tree" and not is_left_out(path)
    ]
    for mode, _, size, path in chosen:
        if mode not in ("100644", "100755"):
            raise FileNameError(path, "is a link or a submodule")
        access.limits.require_file(path, size)
    access.limits.require(len(chosen), sum(size for _, _, size, _ in chosen))
    contents = _git(
        *inside, "cat-file", "--batch", environ=environ, given="".join(f"{sha}\n" for _, sha, _, _ in chosen).encode()
    )
    files = []
    position = 0
    for mode, _, size, path in chosen:  # each content follows a line with its hash, and ends with a line feed
        start = contents.index(b"\n", position) + 1
        position = start + size + 1
        files.append(SkillFile(path=path, data=contents[start : start + size], executable=mode == "100755"))
    commit = _git(*inside, "rev-parse", "HEAD", environ=environ).decode().strip()
    revision = next((sha for _, kind, sha, _, path in entries if path == skill and kind == "tree"), commit)
    front = read_front(next(file.data for file in files if file.path in FILES))
    entry = CatalogEntry(
        source="git",
        identifier=f"git:{identifier}",
        name=text_field(front, "name") or PurePosixPath(skill or target.url.removesuffix(".git")).name,
        description=text_field(front, "description"),
        version=text_field(front, "version"),
        revision=revision,
        url=target.url,
    )
    return FetchedSkill(entry=entry, files=tuple(files))


def _tree_line(line: bytes) -> tuple[str, str, str, int, str]:
    facts, _, path = line.partition(b"\t")
    mode, kind, sha, size = facts.decode().split()
    try:
        return mode, kind, sha, int(size) if size.isdecimal() else 0, path.decode()
    except UnicodeDecodeError as error:
        raise FileNameError(ascii(path), "has a name that is not UTF-8") from error


def _environ(environ: Mapping[str, str], protocols: str) -> dict[str, str]:
    """Return the environment for git: the user's, without variables that redirect it, and with few protocols."""
    given = {name: value for name, value in (environ or os.environ).items() if not name.startswith("GIT_")}
    more = {name: os.environ[name] for name in ("GIT_SSH_COMMAND", "GIT_SSH") if name in os.environ}
    fixed = {"GIT_ALLOW_PROTOCOL": protocols, "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}
    return {**given, **more, **fixed}


def _git(*words: str, environ: Mapping[str, str], given: bytes = b"") -> bytes:
    options = [word for option in _OPTIONS for word in ("-c", option)]
    limited = ["/bin/sh", "-c", 'ulimit -f "$0"; exec git "$@"', str(_MAX_BLOCKS), *options, *words]
    with subprocess.Popen(  # noqa: S603 - a list of words
        limited,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environ),
        start_new_session=True,
    ) as child:
        try:
            output, errors = child.communicate(given, timeout=_SECONDS)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise SourceError("git did not finish in time.", kind="network") from error
            raise
    if child.returncode == 127:
        raise SourceError("The program git is not installed.", kind="unsupported")
    if child.returncode:
        lines = errors.decode(errors="replace").strip().splitlines()
        reason = next((line for line in reversed(lines) if line.startswith(("fatal:", "error:"))), "it failed")
        raise SourceError(f"git: {reason[:300].removeprefix('fatal: ')}.", kind="network")
    return output
