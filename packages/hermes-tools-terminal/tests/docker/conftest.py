"""Real engines of the tests' own: a private dockerd, and podman with folders of its own. One image, made here."""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from pydantic import TypeAdapter

from hermes_tools_terminal.environments.docker import environment as docker
from hermes_tools_terminal.environments.docker.environment import DockerEnvironment
from hermes_tools_terminal.environments.local_processes import find_process
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.shell.shell import Outcome, Shell

# Root without CAP_SYS_RESOURCE and mixed control groups, as on build machines: podman's own defaults fail there.
_PODMAN_SETTINGS = """
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
"""


class TestEngine:
    """An engine that belongs to the tests.

    Args:
        program: Its client.
        image: The image that it has.
        variables: What its client needs to find it.
    """

    __test__ = False

    def __init__(self, program: str, image: str, variables: dict[str, str]) -> None:
        self.program = program
        self.image = image
        self.variables = variables

    def __call__(self, *args: str, input: bytes | None = None, check: bool = True) -> str:
        """What the client prints."""
        env = {**os.environ, **self.variables}
        done = subprocess.run([self.program, *args], input=input, capture_output=True, env=env, timeout=60, check=False)
        assert not check or done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def settings(self, *, container: dict[str, Any] | None = None, **options: Any) -> TerminalSettings:
        """Settings for this engine. Its containers have no network: there is no bridge."""
        section = {
            k: options.pop(k) for k in tuple(options) if k in TerminalSettings.__dataclass_fields__ and k != "env"
        }
        given = {"engine": self.program, "image": self.image, "network": False, **options}
        return TypeAdapter(TerminalSettings).validate_python({"docker": given, "container": container or {}, **section})

    def names(self) -> list[str]:
        """All its containers, running or not."""
        return self("ps", "--all", "--format", "{{.Names}}").split()

    def clear(self) -> None:
        """Remove all its containers."""
        if names := self.names():
            self("rm", "--force", "--volumes", *names, check=False)


class Dockerd(TestEngine):
    """A private dockerd."""

    def __init__(self, program: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="dk", dir="/tmp"))  # a socket's path has room for 108 characters
        super().__init__(program, "bb:1", {"DOCKER_HOST": f"unix://{self.folder}/s"})
        (self.folder / "daemon.json").write_text("{}")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        (self.folder / "pid").unlink(missing_ok=True)
        words = ["--data-root", "data", "--exec-root", "exec", "--pidfile", "pid", "--config-file", "daemon.json"]
        words = [str(self.folder / word) if not word.startswith("-") else word for word in words]
        flags = ["--iptables=false", "--ip6tables=false", "--bridge=none"]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                ["dockerd", "-H", self.variables["DOCKER_HOST"], *words, *flags], stdout=log, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + 30
        while not self("version", check=False).count("Server:"):
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = (self.folder / "log").read_text(errors="replace")[-600:]
                self.stop()
                pytest.skip(f"dockerd (Debian: docker.io, as root) does not start here: {said}")
            time.sleep(0.05)

    @property
    def runs(self) -> bool:
        """Whether it is there."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """End it as a crash would."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(20)
        # Its containerd dies with it, but the number stays taken until somebody buries it: the next one would wait.
        number = self.folder / "exec" / "containerd" / "containerd.pid"
        deadline = time.monotonic() + 20
        while find_process(int(number.read_text())) is not None:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        number.unlink()

    def stop(self) -> None:
        """End it and leave nothing behind."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(30)
        for mount in ("exec/netns/default", "data"):  # the second is left by one that was killed
            subprocess.run(["umount", f"{self.folder}/{mount}"], capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def _needs(program: str, package: str) -> str:
    found = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"{program} is not installed (Debian: {package})")
    return found


@pytest.fixture(scope="session")
def image() -> bytes:
    """A tar file with busybox and nothing else: there is an sh, and no bash."""
    busybox = _needs("busybox", "busybox-static")
    applets = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name in ("bin", "tmp", "proc", "sys", "dev", "etc", "root"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
            tar.addfile(folder)
        tar.add(os.path.realpath(busybox), "bin/busybox")
        for name in applets:
            if name != "busybox":
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                tar.addfile(link)
        users = b"root:x:0:0:root:/root:/bin/sh\n"
        entry = tarfile.TarInfo("etc/passwd")
        entry.size = len(users)
        tar.addfile(entry, io.BytesIO(users))
    return packed.getvalue()


@pytest.fixture(scope="session")
def bash_image(image: bytes, dockerd: Dockerd) -> str:
    """The same with this machine's bash and what it is linked with."""
    bash = os.path.realpath(_needs("bash", "bash"))
    linked = subprocess.run(["ldd", bash], capture_output=True, text=True, check=True).stdout.split()
    packed = io.BytesIO(image)
    with tarfile.open(fileobj=packed, mode="a") as tar:
        tar.add(bash, "bin/bash")
        for path in filter(os.path.isabs, linked):
            tar.add(os.path.realpath(path), path.lstrip("/"))
    dockerd("import", "-", "bash:1", input=packed.getvalue())
    return "bash:1"


@pytest.fixture(scope="session")
def new_dockerd(image: bytes) -> Iterator[Callable[[], Dockerd]]:
    """Starts engines that a test may kill."""
    if os.geteuid() != 0:
        pytest.skip("dockerd needs root")
    _needs("dockerd", "docker.io")
    program = _needs("docker", "docker.io")
    started: list[Dockerd] = []

    def start() -> Dockerd:
        engine = Dockerd(program)
        started.append(engine)
        engine.start()
        engine("import", "-", engine.image, input=image)
        return engine

    yield start
    for engine in started:
        if not engine.runs:  # its containers outlive it, and only an engine removes them
            engine.start()
        engine.clear()
        engine.stop()


@pytest.fixture(scope="session")
def dockerd(new_dockerd: Callable[[], Dockerd]) -> Dockerd:
    """The engine of all tests that leave it alive."""
    return new_dockerd()


@pytest.fixture(scope="session")
def podman(image: bytes) -> Iterator[TestEngine]:
    """Podman, with its containers in a folder of the tests."""
    program = _needs("podman", "podman, runc")
    _needs("runc", "runc")
    if os.geteuid() != 0:
        pytest.skip("this podman keeps its containers as root")
    folder = Path(tempfile.mkdtemp(prefix="pm", dir="/tmp"))
    (folder / "containers.conf").write_text(_PODMAN_SETTINGS)
    client = folder / "podman"
    client.write_text(f'#!/bin/sh\nexec {program} --root {folder}/data --runroot {folder}/run "$@"\n')
    client.chmod(0o755)
    engine = TestEngine(str(client), "localhost/bb:1", {"CONTAINERS_CONF": f"{folder}/containers.conf"})
    try:
        engine("import", "-", engine.image, input=image)
        yield engine
        engine.clear()
    finally:
        for mount in (f"{folder}/data/overlay", f"{folder}/data/overlay-containers"):
            subprocess.run(["umount", mount], capture_output=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["dockerd", "podman"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestEngine]:
    """Each engine in turn; it has no container before and after."""
    found: TestEngine = request.getfixturevalue(request.param)
    for name, value in found.variables.items():
        monkeypatch.setenv(name, value)
    yield found
    found.clear()


@pytest.fixture
def only_docker(dockerd: Dockerd, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dockerd]:
    """Docker alone, for what does not depend on the engine."""
    monkeypatch.setenv("DOCKER_HOST", dockerd.variables["DOCKER_HOST"])
    yield dockerd
    dockerd.clear()


Opens = Callable[..., DockerEnvironment]


@pytest.fixture
def opened(home: Path) -> Iterator[Opens]:
    """Opens containers of this process, and closes them when the test is over."""
    made: list[DockerEnvironment] = []

    def open_one(settings: TerminalSettings, task: str = "task") -> DockerEnvironment:
        place = docker.make(settings, task=task, home=str(home))
        made.append(place)
        place.open()
        return place

    yield open_one
    for place in made:
        place.close()


class Talk:
    """A shell in a place, spoken to from outside of any event loop."""

    def __init__(self, place: DockerEnvironment) -> None:
        self.shell = Shell(place)

    def __call__(self, command: str, **options: Any) -> Outcome:
        return anyio.run(partial(self.shell.run, command, **{"timeout": 20, **options}))


@pytest.fixture
def talk() -> Iterator[Callable[[DockerEnvironment], Talk]]:
    """Starts shells, and ends them."""
    made: list[Talk] = []

    def begin(place: DockerEnvironment) -> Talk:
        made.append(Talk(place))
        return made[-1]

    yield begin
    for each in made:
        each.shell.close()
