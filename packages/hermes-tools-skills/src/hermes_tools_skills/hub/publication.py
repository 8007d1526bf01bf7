"""Publishes a skill: as an archive, or as a pull request to a repository on GitHub."""

from __future__ import annotations

import base64
import io
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_core.settings import refuse_inside
from hermes_files.atomic import write_atomic
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.index import Root, SkillIndex
from hermes_tools_skills.providers.directory import read_directory
from hermes_tools_skills.providers.file_checks import check_files
from hermes_tools_skills.providers.github_api import GitHubApi, Location
from hermes_tools_skills.providers.json_values import mapping, text
from hermes_tools_skills.providers.protocol import SkillFile, SourceError
from hermes_tools_skills.providers.skill_text import read_front, text_field
from hermes_tools_skills.scanner import ScanReport, scan_skill
from hermes_tools_skills.skill import FILES, Skill
from hermes_tools_skills.validation import SkillProblem, validate_skill

_TIME = (1980, 1, 1, 0, 0, 0)
_FORK_SECONDS = 60.0
_FORK_PAUSE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A skill that can be published.

    Attributes:
        name: Its name.
        directory: Its directory.
        description: What it does.
        files: Its files.
        problems: What does not conform to the specification.
        report: The report of the scan, with the policy for skills of other people.
    """

    name: str
    directory: Path
    description: str
    files: tuple[SkillFile, ...]
    problems: tuple[SkillProblem, ...]
    report: ScanReport

    def require_publishable(self) -> None:
        """Raise `HubError` if others could not install it."""
        errors = [problem for problem in self.problems if problem.level == "error"]
        if errors:
            raise HubError(f"{self.name} does not conform to the specification: {errors[0]}.", kind="blocked")
        if self.report.action("community") == "block":
            raise HubError(f"The scan blocks {self.name}, so others could not install it.", kind="blocked")


def prepare_publication(hub: SkillHub, name: str) -> Publication:
    """Read, check and scan a skill of the user.

    Args:
        hub: The hub.
        name: A skill in `$HERMES_HOME/skills`, or a directory.

    Raises:
        HubError: There is no such skill, or there are several.
        SourceError: It contains a link, or is too large.
    """
    directory = Path(name).expanduser().absolute() if "/" in name and Path(name).is_dir() else _find(hub, name)
    hub.progress("Scanning", 0, 0)
    files = check_files(read_directory(directory, hub.limits), hub.limits)
    front = read_front(next((file.data for file in files if file.path in FILES), b""))
    return Publication(
        name=text_field(front, "name") or directory.name,
        directory=directory,
        description=text_field(front, "description"),
        files=files,
        problems=tuple(validate_skill(directory)),
        report=scan_skill(directory, trust="community"),
    )


def _find(hub: SkillHub, name: str) -> Path:
    root = Root(path=hub.state.skills, origin="home")
    skills = [each for each in SkillIndex().read(root) if isinstance(each, Skill)]
    found = [each for each in skills if name in (each.id, each.name, each.directory.name)]
    if len(found) != 1:
        problem = f"{len(found)} skills are" if found else "No skill in $HERMES_HOME/skills is"
        raise HubError(f"{problem} named {name!r}.", kind="missing")
    return found[0].directory


def write_zip(publication: Publication, file: Path) -> None:
    """Write an archive, which is the same for the same files. Raises `HubError` if the skill may not be published."""
    refuse_inside("Skills cannot be published")
    publication.require_publishable()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in publication.files:
            member = zipfile.ZipInfo(f"{publication.name}/{each.path}", _TIME)
            member.external_attr = (0o100755 if each.executable else 0o100644) << 16
            member.create_system = 3  # Unix, so that the mode counts
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, each.data)
    write_atomic(file, buffer.getvalue(), mode=0o644)


def open_pull_request(hub: SkillHub, publication: Publication, repository: str, *, folder: str = "skills") -> str:
    """Propose a skill to a repository on GitHub, from a fork if the user may not write to it, and return the URL.

    Raises:
        HubError: The skill may not be published, or there is no token.
        SourceError: GitHub refuses a request.
    """
    refuse_inside("Skills cannot be published")
    publication.require_publishable()
    location = Location.parse(repository)
    api = GitHubApi(hub.access)
    if not api.has_token:
        raise HubError("A token is needed to publish on GitHub. Set GITHUB_TOKEN.")
    hub.progress(f"Asking GitHub about {location.repository}", 0, 0)
    upstream = mapping(api.get(f"/repos/{location.repository}"))
    branch = text(upstream, "default_branch")
    writable = mapping(upstream, "permissions").get("push") is True
    target = location.repository if writable else _fork(api, location.repository)
    commit, tree = api.commit(Location(repository=location.repository, ref=branch))
    entries = []
    base = f"{folder.strip('/')}/{publication.name}".strip("/")
    for number, file in enumerate(publication.files, 1):
        hub.progress(f"Uploading {file.path}", number, len(publication.files))
        blob = api.send(
            "POST",
            f"/repos/{target}/git/blobs",
            {"content": base64.b64encode(file.data).decode(), "encoding": "base64"},
        )
        mode = "100755" if file.executable else "100644"
        entries.append({"path": f"{base}/{file.path}", "mode": mode, "type": "blob", "sha": _text(blob, "sha")})
    made = api.send("POST", f"/repos/{target}/git/trees", {"base_tree": tree, "tree": entries})
    title = f"Add the skill {publication.name}"
    body = {"message": title, "tree": _text(made, "sha"), "parents": [commit]}
    committed = _text(api.send("POST", f"/repos/{target}/git/commits", body), "sha")
    name = f"skill-{publication.name}-{committed[:8]}"
    api.send("POST", f"/repos/{target}/git/refs", {"ref": f"refs/heads/{name}", "sha": committed})
    head = name if writable else f"{target.partition('/')[0]}:{name}"
    request = {"title": title, "head": head, "base": branch, "body": publication.description}
    url = _text(api.send("POST", f"/repos/{location.repository}/pulls", request), "html_url")
    hub.state.append_audit("publish", publication.name, repository=location.repository, url=url)
    return url


def _fork(api: GitHubApi, repository: str) -> str:
    """Fork a repository, wait until the fork exists, and return its name."""
    made: Mapping[str, Any] = mapping(api.send("POST", f"/repos/{repository}/forks", {"default_branch_only": True}))
    name = _text(made, "full_name")
    deadline = time.monotonic() + _FORK_SECONDS
    while True:
        try:
            api.get(f"/repos/{name}")
            return name
        except SourceError as error:
            if error.kind != "not_found" or time.monotonic() > deadline:
                raise
        time.sleep(_FORK_PAUSE)


def _text(found: object, key: str) -> str:
    value = text(found, key)
    if not value:
        raise SourceError(f"GitHub sent a response without {key!r}.")
    return value
