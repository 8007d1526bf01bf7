"""Reads and writes repositories on GitHub: authentication, trees, and blobs whose hashes are checked."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hermes_tools_skills.hub_settings import GITHUB_API
from hermes_tools_skills.providers.protocol import FileNameError, SkillFile, SourceAccess, SourceError, rate_limit_error

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
_REF = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][A-Za-z0-9._/-]{0,199}")
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_THREADS = 8
_LINK, _EXECUTABLE = "120000", "100755"
_TOKEN_HINT = "Set GITHUB_TOKEN to allow more requests."  # noqa: S105 - not a token
_JWT_SECONDS, _EARLY = 540, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A directory in a repository.

    Attributes:
        repository: Such as `anthropics/skills`.
        path: The directory or the name of a skill; empty if the user gave none.
        ref: A branch, tag or commit; empty for the default branch.
    """

    repository: str
    path: str = ""
    ref: str = ""

    @classmethod
    def parse(cls, identifier: str) -> Location:
        """Parse `owner/repository[/path][@ref]`. Raises `SourceError`."""
        head, _, ref = identifier.partition("@")
        owner, _, rest = head.strip("/").partition("/")
        name, _, path = rest.partition("/")
        repository = f"{owner}/{name}"
        if not _REPOSITORY.fullmatch(repository) or name in (".", ".."):
            raise SourceError(f"{identifier[:200]!r} is not a repository. Example: anthropics/skills/pdf")
        if "@" in identifier and not _REF.fullmatch(ref):
            raise SourceError(f"{ref[:200]!r} is not a branch, tag or commit.")
        return cls(repository=repository, path=path.strip("/"), ref=ref)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEntry:
    """A file or directory of a commit."""

    path: str
    mode: str
    kind: str
    sha: str
    size: int


class GitHubApi:
    """The API, with the credentials that the user configured."""

    def __init__(self, access: SourceAccess) -> None:
        self._access = access
        self._base = access.settings.github_api_url.rstrip("/")

    @property
    def has_token(self) -> bool:
        """Whether requests are authenticated."""
        return bool(self._token())

    def get(self, path: str, **params: str) -> Any:
        """Return the JSON at a path. Raises `SourceError`."""
        with _hints(self):
            return self._access.web.get_json(f"{self._base}{path}", params=params or None, headers=self._headers())

    def send(self, method: str, path: str, body: Any) -> Any:
        """Send JSON to a path and return the JSON of the response. Raises `SourceError`."""
        with _hints(self):
            return self._access.web.send_json(method, f"{self._base}{path}", body, headers=self._headers())

    def commit(self, location: Location) -> tuple[str, str]:
        """Return the hashes of a commit and of its tree. Raises `SourceError`."""
        key = f"github commit {location.repository} {location.ref}"
        if key not in self._access.memory:
            found = self.get(f"/repos/{location.repository}/commits/{quote(location.ref or 'HEAD')}")
            commit = _mapping(found, "commit")
            self._access.memory[key] = (_hash(found, "sha"), _hash(_mapping(commit, "tree"), "sha"))
        hashes: tuple[str, str] = self._access.memory[key]
        return hashes

    def tree(self, repository: str, sha: str, path: str = "") -> list[TreeEntry]:
        """Return everything below a directory of a tree, with paths relative to it.

        A tree that is too large for one response is entered directory by directory, so its top has no entries below
        the first level.

        Raises:
            SourceError: There is no such directory.
        """
        entries, truncated = self._read_tree(repository, sha, recursive=True)
        prefix = f"{path}/" if path else ""
        if not truncated:
            return [_moved(entry, prefix) for entry in entries if entry.path.startswith(prefix)]
        for segment in path.split("/") if path else ():
            level, _ = self._read_tree(repository, sha, recursive=False)
            sha = next((entry.sha for entry in level if entry.path == segment and entry.kind == "tree"), "")
            if not sha:
                raise SourceError(f"{repository} has no directory {path}.", kind="not_found")
        entries, truncated = self._read_tree(repository, sha, recursive=True)
        if truncated:
            raise SourceError(f"{repository} is too large to list. Name the directory of the skill.", kind="refused")
        return entries

    def _read_tree(self, repository: str, sha: str, *, recursive: bool) -> tuple[list[TreeEntry], bool]:
        key = f"github tree {repository} {sha} {recursive}"
        if key not in self._access.memory:
            params = {"recursive": "1"} if recursive else {}
            found = self.get(f"/repos/{repository}/git/trees/{sha}", **params)
            listed = found.get("tree") if isinstance(found, dict) else None
            if not isinstance(listed, list):
                raise SourceError(f"GitHub sent no tree of {repository}.")
            self._access.memory[key] = [_tree_entry(each) for each in listed], bool(found.get("truncated"))
        read: tuple[list[TreeEntry], bool] = self._access.memory[key]
        return read

    def blobs(self, repository: str, commit: str, prefix: str, entries: Sequence[TreeEntry]) -> list[SkillFile]:
        """Download files of a commit.

        Args:
            repository: The repository.
            commit: The hash of the commit.
            prefix: The directory to which the paths are relative, with a slash, or empty.
            entries: The files.

        Raises:
            SourceError: One is a link or too large, cannot be downloaded, or differs from its hash.
        """
        for entry in entries:
            if entry.mode == _LINK or entry.kind != "blob":
                raise FileNameError(entry.path, "is a link or a submodule")
            self._access.limits.require_file(entry.path, entry.size)
        self._access.limits.require(len(entries), sum(entry.size for entry in entries))
        progress, done = self._access.progress, 0
        files = []
        with ThreadPoolExecutor(_THREADS) as pool:
            try:
                for entry, data in zip(
                    entries, pool.map(lambda each: self._blob(repository, commit, prefix, each), entries), strict=True
                ):
                    done += 1
                    progress(f"Downloading {entry.path}", done, len(entries))
                    files.append(SkillFile(path=entry.path, data=data, executable=entry.mode == _EXECUTABLE))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return files

    def _blob(self, repository: str, commit: str, prefix: str, entry: TreeEntry) -> bytes:
        if self.has_token:
            found = self.get(f"/repos/{repository}/git/blobs/{entry.sha}")
            try:
                data = base64.b64decode(_mapping_text(found, "content"), validate=False)
            except ValueError as error:
                raise SourceError(f"GitHub sent a damaged blob of {entry.path}.") from error
        else:  # does not count as a request to the API, of which anonymous users have few
            base = self._access.settings.github_raw_url.rstrip("/")
            data = self._access.web.get(f"{base}/{repository}/{commit}/{quote(prefix + entry.path)}").body
        digest = hashlib.sha256 if len(entry.sha) == 64 else hashlib.sha1  # git's own hash of a blob
        if digest(b"blob %d\0" % len(data) + data).hexdigest() != entry.sha:
            raise SourceError(f"{entry.path} differs from its hash in the repository.", kind="network")
        return data

    def read_file(self, location: Location) -> bytes:
        """Return a file of a repository. Raises `SourceError`."""
        url = f"{self._base}/repos/{location.repository}/contents/{quote(location.path)}"
        params = {"ref": location.ref} if location.ref else None
        headers = {**self._headers(), "Accept": "application/vnd.github.raw+json"}
        with _hints(self):
            return self._access.web.get(url, params=params, headers=headers).body

    # -- credentials -------------------------------------------------------------------------------------------

    def _headers(self) -> dict[str, str]:
        token = self._token()
        headers = {"X-GitHub-Api-Version": "2022-11-28", "Accept": "application/vnd.github+json"}
        return {**headers, "Authorization": f"Bearer {token}"} if token else headers

    def _token(self) -> str:
        settings = self._access.settings
        given = settings.github_token.get_secret_value() or self._access.environ.get("GH_TOKEN", "")
        if given:
            return given
        token, expires = self._access.memory.get("github token", ("", 0.0))
        if expires < time.time():
            token, expires = self._app_token() if settings.github_app_id else (self._program_token(), float("inf"))
            self._access.memory["github token"] = token, expires
        return str(token)

    def _program_token(self) -> str:
        """Return the token of the program `gh`, if the user is logged in there; empty for other servers."""
        if self._base != GITHUB_API:
            return ""
        try:
            done = subprocess.run(
                ["gh", "auth", "token"],  # noqa: S607 - where the user has installed it
                capture_output=True,
                text=True,
                timeout=5,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    def _app_token(self) -> tuple[str, float]:
        settings = self._access.settings
        signed = make_jwt(settings.github_app_id, Path(settings.github_app_key_file).expanduser())
        path = f"/app/installations/{quote(settings.github_app_installation, safe='')}/access_tokens"
        headers = {"Authorization": f"Bearer {signed}", "Accept": "application/vnd.github+json"}
        found = self._access.web.send_json("POST", self._base + path, {}, headers=headers)
        from datetime import datetime

        try:
            expires = datetime.fromisoformat(_mapping_text(found, "expires_at")).timestamp()
        except ValueError:
            expires = time.time() + _JWT_SECONDS
        return _mapping_text(found, "token"), expires - _EARLY


class _hints:  # noqa: N801 - used like a function
    """Adds to a rate limit without a token how to raise it."""

    def __init__(self, api: GitHubApi) -> None:
        self._api = api

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, SourceError) and error.kind == "rate_limited" and not self._api.has_token:
            raise rate_limit_error("GitHub", error.retry_at, _TOKEN_HINT) from error


def make_jwt(app_id: str, key_file: Path, now: float | None = None) -> str:
    """Sign the token with which a GitHub App logs in, with the program `openssl`. Raises `SourceError`."""
    issued = int(time.time() if now is None else now) - _EARLY  # clocks differ
    claims = {"iat": issued, "exp": issued + _JWT_SECONDS, "iss": app_id}
    head = ".".join(_encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
    command = ["openssl", "dgst", "-sha256", "-sign", str(key_file), "-binary"]
    try:
        done = subprocess.run(command, input=head.encode(), capture_output=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(f"openssl is needed to log in as a GitHub App: {error}.", kind="unsupported") from error
    if done.returncode:
        raise SourceError(f"{key_file} cannot be used as the key of a GitHub App.", kind="refused")
    return f"{head}.{_encoded(done.stdout)}"


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _tree_entry(found: Any) -> TreeEntry:
    size = found.get("size", 0) if isinstance(found, dict) else 0
    return TreeEntry(
        path=_mapping_text(found, "path"),
        mode=_mapping_text(found, "mode"),
        kind=_mapping_text(found, "type"),
        sha=_hash(found, "sha"),
        size=size if isinstance(size, int) else 0,
    )


def _moved(entry: TreeEntry, prefix: str) -> TreeEntry:
    path = entry.path[len(prefix) :]
    return TreeEntry(path=path, mode=entry.mode, kind=entry.kind, sha=entry.sha, size=entry.size)


def _mapping(found: Any, key: str) -> dict[str, Any]:
    value = found.get(key) if isinstance(found, dict) else None
    if not isinstance(value, dict):
        raise SourceError(f"GitHub sent a response without {key!r}.")
    return value


def _mapping_text(found: Any, key: str) -> str:
    value = found.get(key) if isinstance(found, dict) else None
    if not isinstance(value, str):
        raise SourceError(f"GitHub sent a response without {key!r}.")
    return value


def _hash(found: Any, key: str) -> str:
    value = _mapping_text(found, key)
    if not _HASH.fullmatch(value):
        raise SourceError(f"GitHub sent {value[:80]!r} instead of a hash.")
    return value
