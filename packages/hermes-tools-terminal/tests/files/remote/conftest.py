"""Places that are shells of this machine, with nothing but the programs that an ordinary or a tiny system has."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from hermes_tools_terminal.environments.local import LocalEnvironment
from hermes_tools_terminal.files.remote.filesystem import RemoteFileSystem

NOBODY = 61234
"""A number that no user has."""


class ShellPlace(LocalEnvironment):
    """A place that starts one shell whenever `sh` is asked for.

    Args:
        shell: The shell.
        programs: The folders that it finds programs in.
        user: Whose processes they are; this one's own when it is not given.
    """

    kind = "shell"

    def __init__(self, shell: Sequence[str], programs: str, user: int | None = None) -> None:
        super().__init__("/")
        self._variables = {**self._variables, "PATH": programs}
        # `setpriv` itself starts a program with root's rights still; `env` has none any more.
        who = [f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all"]
        before = [shutil.which("setpriv") or "", *who, shutil.which("env") or ""]
        self._before = [*(before if user is not None else []), *shell]

    def _wrapped(self, argv: Sequence[str]) -> Sequence[str]:
        assert argv[0] == "sh"
        return [*self._before, *argv[1:]]


@cache
def _applets() -> str:
    """A folder with all that busybox is, and nothing else."""
    import atexit
    import tempfile

    folder = tempfile.mkdtemp(prefix="hermes-applets-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    subprocess.run(["busybox", "--install", "-s", folder], check=True, capture_output=True)
    return folder


USUAL = "/usr/local/bin:/usr/bin:/bin"
SHELLS = {"dash": ["dash"], "bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}


@pytest.fixture(params=list(SHELLS))
def shell(request: pytest.FixtureRequest) -> str:
    """Each shell in turn."""
    name = str(request.param)
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed (Debian package: {name})")
    return name


NewPlace = Callable[..., ShellPlace]
NewTree = Callable[..., RemoteFileSystem]


@pytest.fixture
def new_place(shell: str) -> NewPlace:
    """Makes places; programs in `first` come before the usual ones."""

    def make(user: int | None = None, first: Path | None = None) -> ShellPlace:
        if user is not None and shutil.which("setpriv") is None:
            pytest.skip("setpriv is not installed (Debian package: util-linux)")
        usual = _applets() if shell == "busybox" else USUAL
        line = [shutil.which(SHELLS[shell][0]) or "", *SHELLS[shell][1:]]
        return ShellPlace(line, f"{first}:{usual}" if first else usual, user if os.geteuid() == 0 else None)

    return make


@pytest.fixture
def new_tree(new_place: NewPlace, tmp_path: Path) -> Iterator[NewTree]:
    """Makes trees, and closes them when the test is over."""
    made: list[RemoteFileSystem] = []

    def make(place: ShellPlace | None = None, *, roots: Sequence[str] = ()) -> RemoteFileSystem:
        made.append(RemoteFileSystem(place or new_place(), "shell:test", locks=str(tmp_path / "locks"), roots=roots))
        return made[-1]

    yield make
    for tree in made:
        tree.close()


@pytest.fixture
def tree(new_tree: NewTree) -> RemoteFileSystem:
    """The files of this machine, as a shell sees them."""
    return new_tree()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder for the test's files."""
    folder = Path(os.path.realpath(tmp_path)) / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def open_work() -> Iterator[Path]:
    """The same where everybody can get to and write."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="hermes-open-", dir="/tmp"))
    folder.chmod(0o777)
    yield folder
    subprocess.run(["chmod", "-R", "u+rwX", str(folder)], check=False)
    shutil.rmtree(folder)
