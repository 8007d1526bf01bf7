"""Trees of this machine by both ways: what the kernel does in one call, and what is done by hand elsewhere."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from hermes_tools_terminal.files.local.confined_open import has_openat2, open_stepwise, open_with_openat2
from hermes_tools_terminal.files.local.filesystem import LocalFileSystem
from hermes_tools_terminal.files.local.path_resolution import resolve, resolve_stepwise

MakeTree = Callable[..., LocalFileSystem]


@pytest.fixture(params=["kernel", "hand"])
def make_tree(request: pytest.FixtureRequest) -> MakeTree:
    """Makes trees that find and open files by one of the two ways."""
    if request.param == "hand":
        return lambda roots=(): LocalFileSystem(roots, opener=open_stepwise, resolver=resolve_stepwise)
    if not has_openat2():
        pytest.skip("this kernel has no openat2")

    def make(roots: Sequence[str] = ()) -> LocalFileSystem:
        return LocalFileSystem(roots, opener=open_with_openat2, resolver=resolve)

    return make


@pytest.fixture
def tree(make_tree: MakeTree) -> LocalFileSystem:
    """A tree without roots."""
    return make_tree()


@pytest.fixture
def nobody() -> Iterator[tuple[Path, Callable[[], AbstractContextManager[None]]]]:
    """A folder that everybody may enter, and a way to be somebody else in it: permissions do not bind root."""
    if os.geteuid() != 0:
        pytest.skip("becoming another user needs root")
    folder = Path(tempfile.mkdtemp(prefix="hermes-nobody-"))
    folder.chmod(0o755)

    @contextmanager
    def be_nobody() -> Iterator[None]:
        os.setegid(65534)
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(0)

    yield folder, be_nobody
    shutil.rmtree(folder)
