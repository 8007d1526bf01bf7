"""Sandboxes of both kinds, built by root and by somebody without any rights, each with a home full of secrets."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.sandbox import bubblewrap, landlock

DRIVER = Path(__file__).with_name("sandbox_driver.py")
NOBODY = 61234
"""A number that no user has."""
SECRET = "a-secret-of-the-owner"
SECRETS = (
    ".ssh/id_rsa", ".aws/credentials", ".gnupg/secring.gpg", ".config/gcloud/credentials.db", ".kube/config",
    ".docker/config.json", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".mozilla/firefox/x/key4.db",
    ".local/share/keyrings/login.keyring", ".hermes/.env", ".hermes/state.db", ".bash_history", "mine/private.txt",
    ".config/rclone/rclone.conf", ".cargo/credentials.toml",
)  # fmt: skip


def needs(engine: str) -> None:
    """Skip where an engine does not work."""
    reason = {"bubblewrap": bubblewrap, "landlock": landlock}[engine].unavailable_reason()
    if reason:
        pytest.skip(f"{reason} (Debian package bubblewrap)")


class Driven:
    """A process with a sandbox.

    Args:
        user: Whose; its number.
        base: A folder of that user, which holds its home and its workspace.
        settings: The section `terminal`, `cwd` left out.
        environ: More variables.
    """

    def __init__(self, user: int, base: Path, settings: dict[str, Any], environ: dict[str, str] | None = None) -> None:
        self.user, self.base = user, base
        self.home, self.workspace = base / "home", base / "work"
        text = json.dumps({"cwd": str(self.workspace), **settings})
        line, variables = driven_by(user)
        self.process = subprocess.Popen(
            [*line, text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            env={**variables, "HOME": str(self.home), "HERMES_HOME": str(self.home / ".hermes"), **(environ or {})},
        )
        self.hello = self._answer()

    def run(self, command: str, **more: Any) -> dict[str, Any]:
        """What became of a command inside."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"run": command, **more}) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def says(self, command: str, **more: Any) -> str:
        """What a command printed."""
        answer = self.run(command, **more)
        assert "output" in answer, answer
        return str(answer["output"])

    def python(self, code: str) -> str:
        """What a program printed inside."""
        (self.workspace / "attack.py").write_text(code)
        return self.says("python3 attack.py")

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the process with the sandbox died"
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer


def as_user(user: int) -> list[str]:
    """What makes a command another user's."""
    if user == os.geteuid():
        return []
    # `setpriv` itself starts a program with root's rights still; `env` has none any more.
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "env"]


_USED = """
import json, sys
import anyio._backends._asyncio
import hermes_tools_terminal.environments.sandbox.environment
import hermes_tools_terminal.settings
import hermes_tools_terminal.shell.shell
from hermes_guard import judge
judge("ls")
found = {name.partition(".")[0] for name, module in list(sys.modules.items()) if getattr(module, "__file__", None)}
print(json.dumps(sorted(found - set(sys.stdlib_module_names) - {"__main__", "_distutils_hack"})))
"""


@cache
def library() -> Path:
    """What is tested and all that it uses, where all users can read it: a checkout may lie where only its owner can."""
    folder = Path(tempfile.mkdtemp(prefix="hermes-library-", dir="/srv"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    done = subprocess.run([sys.executable, "-c", _USED], capture_output=True, text=True, check=True)
    for name in json.loads(done.stdout):
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            (found,) = spec.submodule_search_locations
            shutil.copytree(found, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif spec is not None and spec.origin:
            shutil.copy(spec.origin, folder)
    shutil.copy(DRIVER, folder)
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)
    return folder


def driven_by(user: int) -> tuple[list[str], dict[str, str]]:
    """The driver as a user can start it, and the variables that it needs."""
    plain = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    if user == os.geteuid():
        return [sys.executable, str(DRIVER)], plain
    return [*as_user(user), interpreter(user), str(library() / DRIVER.name)], {**plain, "PYTHONPATH": str(library())}


@cache
def interpreter(user: int) -> str:
    """A Python that a user can start: root's own may lie where others cannot look."""
    for program in (sys.executable, "/usr/bin/python3"):
        line = [
            *as_user(user),
            program,
            "-c",
            "import pydantic, hermes_tools_terminal.environments.sandbox.environment",
        ]
        env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(library())}
        if subprocess.run(line, env=env, capture_output=True, cwd="/", check=False).returncode == 0:
            return program
    pytest.skip("no Python of this version that another user can start (Debian package python3)")


def make_base(user: int) -> Path:
    """A home with secrets and a workspace; not in /tmp, which a sandbox hides, nor in /home with its other homes."""
    base = Path(tempfile.mkdtemp(prefix="hermes-sandbox-", dir="/srv" if os.geteuid() == 0 else Path.home()))
    for name in SECRETS:
        path = base / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
    (base / "work").mkdir()
    (base / "work" / ".env").write_text("PROJECT=1\n")
    (base / "home" / ".bashrc").write_text("# mine\n")
    (base / "home" / ".hermes" / "skills").mkdir()
    (base / "home" / ".hermes" / "skills" / "SKILL.md").write_text("a skill\n")
    (base / "home" / "notes.txt").write_text("notes\n")
    if user != os.geteuid():
        for path in (base, *base.rglob("*")):
            os.chown(path, user, user)
    return base


@contextlib.contextmanager
def _sockets(how: int) -> Iterator[None]:
    with open(Path(tempfile.gettempdir()) / f"hermes-test-sockets-{os.geteuid()}", "wb") as file:
        fcntl.flock(file, how)
        yield


@pytest.fixture
def new_sockets() -> Iterator[None]:
    """Sockets are made outside of the sandbox's own folders, which makes all sandboxes of this machine old."""
    with _sockets(fcntl.LOCK_EX):
        yield


@pytest.fixture
def no_new_sockets() -> Iterator[None]:
    """No other test does that meanwhile."""
    with _sockets(fcntl.LOCK_SH):
        yield


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, no_new_sockets: None) -> Iterator[Path]:
    """A home and a workspace of this very user."""
    folder = make_base(os.geteuid())
    monkeypatch.setenv("HOME", str(folder / "home"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=["root", "nobody"])
def user(request: pytest.FixtureRequest) -> int:
    """Who builds the sandbox; without rights only oneself."""
    if os.geteuid() == 0:
        return 0 if request.param == "root" else NOBODY
    if request.param == "root":
        pytest.skip("only root can be root")
    return os.geteuid()


@pytest.fixture
def base(user: int) -> Iterator[Path]:
    """The folder of that user."""
    folder = make_base(user)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=["bubblewrap", "landlock"])
def engine(request: pytest.FixtureRequest) -> str:
    """What builds the sandbox."""
    name = str(request.param)
    needs(name)
    return name


Build = Callable[..., Driven]


@pytest.fixture
def build(user: int, base: Path, engine: str) -> Iterator[Build]:
    """Makes processes with a sandbox, which end with the test."""
    made: list[Driven] = []

    def one(*, environ: dict[str, str] | None = None, **sandbox: Any) -> Driven:
        settings = {"sandbox": {"engine": engine, "hidden": [str(base / "home" / "mine")], **sandbox}}
        made.append(Driven(user, base, settings, environ))
        return made[-1]

    yield one
    for driven in made:
        driven.close()


@pytest.fixture
def box(build: Build) -> Driven:
    """A process with a sandbox as most people have it."""
    driven = build(environ={"OWNER_TOKEN": SECRET})
    assert "error" not in driven.hello, driven.hello
    return driven
