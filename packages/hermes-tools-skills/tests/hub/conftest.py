"""Loopback servers that speak like registries, and hubs that may reach them."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hermes_net import NetPolicy
from hermes_tools_skills.hub.hub import SkillHub
from hermes_tools_skills.hub_settings import HubSettings
from hermes_tools_skills.providers.catalog import provider_factories


class Answer:
    """What a server sends. `cut` announces more bytes than it sends."""

    def __init__(self, body: bytes | str | Any = b"", status: int = 200, cut: int = 0, **headers: str) -> None:
        self.body = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        self.status = status
        self.cut = cut
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Site:
    """A server on the loopback interface. `routes` maps `GET /path`, without a query, to an answer or a function."""

    def __init__(self) -> None:
        self.routes: dict[str, Answer | Callable[[Any], Answer]] = {}
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def respond(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                path = self.path.partition("?")[0]
                site.requests.append(
                    (f"{self.command} {self.path}", {name.lower(): value for name, value in self.headers.items()}, body)
                )
                found = site.routes.get(f"{self.command} {path}", Answer({"message": "Not Found"}, 404))
                answer = found(body) if callable(found) else found
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body) + answer.cut))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = respond

            def log_message(self, format: str, *args: object) -> None:
                """Write nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Stop."""
        self.server.shutdown()
        self.thread.join(10)
        self.server.server_close()

    def paths(self) -> list[str]:
        """What was asked for."""
        return [line for line, _, _ in self.requests]


@pytest.fixture(scope="session")
def tested_distribution() -> str:
    """The commands are those of this package."""
    return "hermes-tools-skills"


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


@pytest.fixture
def other_site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


MakeHub = Callable[..., SkillHub]


@pytest.fixture
def make_hub(home: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeHub]:
    """Makes hubs of which all sources are on the server `site`, and no others can be reached."""
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    made: list[SkillHub] = []

    def make(*, policy: NetPolicy | None = None, offline: bool = False, **settings: Any) -> SkillHub:
        urls = ("github_api_url", "github_raw_url", "clawhub_url", "lobehub_url")
        given = {**dict.fromkeys(urls, site.url), "own_servers": [site.url], "seconds": 10.0, **settings}
        sources = {name: create() for name, create in provider_factories()["skill_sources"].items()}
        hub = SkillHub(
            home,
            HubSettings.model_validate(given),
            sources=sources,  # type: ignore[arg-type]
            policy=policy or NetPolicy(),
            offline=offline,
        )
        made.append(hub)
        return hub

    yield make
    for each in made:
        each.__exit__(None, None, None)


@pytest.fixture
def hub(make_hub: MakeHub) -> SkillHub:
    return make_hub()


def skill_text(name: str, description: str = "Do a thing.", body: str = "Do it.\n", front: str = "") -> str:
    """The text of a SKILL.md."""
    return f"---\nname: {name}\ndescription: {description}\n{front}---\n{body}"


def blob_hash(data: bytes) -> str:
    """The hash that git gives to a file."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class FakeGitHub:
    """Serves repositories with the API of GitHub."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def add(self, repository: str, files: Mapping[str, str | bytes], **modes: str) -> str:
        """Publish the files as the default branch, and return the hash of the commit."""
        import base64

        content = {path: data if isinstance(data, bytes) else data.encode() for path, data in files.items()}
        tree: list[dict[str, Any]] = []
        folders = {parent for path in content for parent in _parents(path)}
        for folder in sorted(folders):
            inside = sorted((path, blob_hash(data)) for path, data in content.items() if path.startswith(f"{folder}/"))
            sha = hashlib.sha1(repr(inside).encode()).hexdigest()
            tree.append({"path": folder, "mode": "040000", "type": "tree", "sha": sha})
        for path, data in sorted(content.items()):
            mode = modes.get(path.replace("/", "__").replace(".", "_"), "100644")
            tree.append({"path": path, "mode": mode, "type": "blob", "sha": blob_hash(data), "size": len(data)})
        root = hashlib.sha1(repr(tree).encode()).hexdigest()
        commit = hashlib.sha1(b"commit" + root.encode()).hexdigest()
        routes = self.site.routes
        answer = Answer({"sha": commit, "commit": {"tree": {"sha": root}}})
        for ref in ("HEAD", "main", commit):
            routes[f"GET /repos/{repository}/commits/{ref}"] = answer
        routes[f"GET /repos/{repository}/git/trees/{root}"] = Answer({"tree": tree, "truncated": False})
        for path, data in content.items():
            routes[f"GET /{repository}/{commit}/{path}"] = Answer(data)
            routes[f"GET /repos/{repository}/contents/{path}"] = Answer(data)
            body = {"content": base64.encodebytes(data).decode(), "encoding": "base64"}
            routes[f"GET /repos/{repository}/git/blobs/{blob_hash(data)}"] = Answer(body)
        return commit


def _parents(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


@pytest.fixture
def github(site: Site) -> FakeGitHub:
    return FakeGitHub(site)
