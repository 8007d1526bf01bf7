"""Every test has a home of its own, and leaves no process behind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hermes_tools_terminal.plugin
from hermes_approval import Approval
from hermes_core import Hermes


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch `HERMES_HOME`: no test may read or write the user's."""
    folder = tmp_path / "hermes-home"
    monkeypatch.setenv("HERMES_HOME", str(folder))
    return folder


class Agent:
    """A host with the terminal tools, and short ways to call them.

    Args:
        options: Those of `Hermes`; `terminal`, `files` and `code_execution` are sections of the settings.
    """

    def __init__(
        self,
        *,
        terminal: dict[str, Any] | None = None,
        files: dict[str, Any] | None = None,
        code_execution: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        config = {"terminal": terminal or {}, "files": files or {}, "code_execution": code_execution or {}}
        names = {"approver": "approver", "policy": "policy", "approvals": "mode"}
        given = {names[name]: options.pop(name) for name in list(options) if name in names}
        plugins = [hermes_tools_terminal.plugin, Approval(**given), *options.pop("plugins", ())]
        self.hermes = Hermes(plugins=plugins, config=config, **options)

    def call(self, tool: str, args: dict[str, Any], **options: Any) -> dict[str, Any]:
        """The result of a call, read."""
        found = json.loads(self.hermes.call(tool, args, **options))
        assert isinstance(found, dict)
        return found

    def run(self, command: str, *, task: str | None = None, **args: Any) -> dict[str, Any]:
        """Run a command."""
        return self.call("terminal", {"command": command, **args}, task_id=task)

    def start(self, command: str, **args: Any) -> str:
        """Start a command in the background; its id."""
        found = self.run(command, background=True, **args)
        assert found["error"] is None, found
        return str(found["session_id"])

    def use(self, tool: str, **args: Any) -> dict[str, Any]:
        """The result of a call that works."""
        found = self.call(tool, args)
        assert not found.get("error"), found
        return found

    def process(self, action: str, session_id: str | None = None, **args: Any) -> dict[str, Any]:
        """Look after a background process."""
        given = {"session_id": session_id} if session_id is not None else {}
        return self.call("process", {"action": action, **given, **args})


@pytest.fixture
def agent() -> Iterator[Callable[..., Agent]]:
    """Makes agents, and closes them when the test is over."""
    made: list[Agent] = []

    def make(**options: Any) -> Agent:
        agent = Agent(**options)
        made.append(agent)
        return agent

    yield make
    for each in made:
        each.hermes.close()


_STRIPPED = frozenset({"json", "shutil", "concurrent", "pydoc", "asyncio", "ctypes", "http", "unittest", "xml", "gzip"})
"""What Debian's python3-minimal lacks as well, among much else."""


@pytest.fixture(scope="session")
def stripped_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that lacks modules: a copy of the interpreter, with links to only some of the standard library."""
    made = tmp_path_factory.mktemp("stripped")
    library = Path(sysconfig.get_path("stdlib"))
    there = made / "lib" / library.name
    for source, target in ((library, there), (library / "lib-dynload", there / "lib-dynload")):
        target.mkdir(parents=True)
        for each in source.iterdir():
            name = each.name.partition(".")[0]
            if name not in _STRIPPED | {"lib-dynload", "site-packages", "__pycache__", "_json", "resource"}:
                (target / each.name).symlink_to(each)
    python = made / "bin" / "python3"
    python.parent.mkdir()
    shutil.copy2(os.path.realpath(sys.executable), python)
    probe = subprocess.run([python, "-c", "import os, re; import json"], capture_output=True, text=True, check=False)
    assert "No module named 'json'" in probe.stderr
    return python


@pytest.fixture
def files_story() -> Callable[[Agent, str], None]:
    """Works with files as an agent does, in a folder of whatever place it has: everywhere with the same results."""

    def story(me: Agent, folder: str) -> None:
        made = me.use("write_file", file_path=f"{folder}/sub/a.py", content="def f():\n    return 'grün'\n")
        assert (made["dirs_created"], made["resolved_path"]) == (True, f"{folder}/sub/a.py")
        assert made["lint"]["status"] == "ok"
        me.run(f"cd {folder}")
        read = me.use("read_file", file_path="sub/a.py")
        assert read["content"] == "1|def f():\n2|    return 'grün'"
        assert (read["total_lines"], read["truncated"]) == (2, False)
        assert me.use("read_file", file_path="sub/a.py")["status"] == "unchanged"
        done = me.use("patch", mode="replace", path="sub/a.py", old_string="return  'grün'", new_string="return 'blau'")
        assert "+    return 'blau'" in done["diff"]
        assert me.run("cat sub/a.py")["output"] == "def f():\n    return 'blau'\n"
        patch = "*** Update File: sub/a.py\n@@ def f():\n-    return 'blau'\n+    return 1\n"
        patch += "*** Add File: new/b.txt\n+hello\n*** Move File: c.txt -> d.txt\n"
        assert "c.txt" in me.call("patch", {"mode": "patch", "patch": patch})["error"]
        assert me.run("cat sub/a.py; ls")["output"] == "def f():\n    return 'blau'\nsub\n"
        me.run("printf 'x\\r\\ny\\r\\n' > c.txt; chmod 640 c.txt")
        done = me.use("patch", mode="patch", patch=patch)
        assert done["files_created"] == [f"{folder}/new/b.txt", f"{folder}/d.txt"]
        assert me.run("cat sub/a.py new/b.txt; ls; ls -l d.txt | cut -c1-10")["output"] == (
            "def f():\n    return 1\nhello\nd.txt\nnew\nsub\n-rw-r-----\n"
        )
        found = me.use("search_files", pattern="return \\d", path=".")
        assert [(each["path"], each["line"], each["content"]) for each in found["matches"]] == [
            ("sub/a.py", 2, "    return 1")
        ]
        assert me.use("search_files", pattern="*.txt", target="files")["total_count"] == 2
        assert me.call("read_file", {"file_path": "sub/b.py"})["similar_files"] == []
        assert me.call("read_file", {"file_path": "sub/A.py"})["similar_files"] == [f"{folder}/sub/a.py"]
        assert me.call("read_file", {"file_path": "sub"})["entries"] == ["a.py"]
        me.run("mkfifo pipe; ln -s sub/a.py link; ln -s nowhere/else dead")
        assert "pipe" in me.call("read_file", {"file_path": "pipe"})["error"]
        assert me.use("read_file", file_path="link")["content"].endswith("return 1")
        assert "File not found" in me.call("read_file", {"file_path": "dead"})["error"]
        me.run("sleep 0.01; echo '# more' >> sub/a.py")
        told = me.use("patch", mode="replace", path="sub/a.py", old_string="return 1", new_string="return (")
        assert "changed since" in told["_warning"]
        assert told["lint"]["status"] == "error"
        me.use("read_file", file_path="d.txt")
        me.run("printf 'x\\r\\nz\\r\\n' > d.txt")
        told = me.call("write_file", {"file_path": "d.txt", "content": "one\ntwo\n"})
        assert "changed since" in told["error"]
        me.use("read_file", file_path="d.txt")
        me.use("write_file", file_path="d.txt", content="one\ntwo\n")
        shown = me.run("od -c d.txt | head -n 1")["output"].split()[1:]
        assert shown == [*"one", "\\r", "\\n", *"two", "\\r", "\\n"]
        me.run("printf '# coding: latin-1\\nx = \"gr\\374n\"\\n' > latin.py; printf 'gr\\374n\\n' > enc.ini")
        assert me.use("read_file", file_path="latin.py")["content"].splitlines()[1] == '2|x = "grün"'
        me.use("patch", mode="replace", path="latin.py", old_string="grün", new_string="blöd")
        assert me.run("tail -n 1 latin.py | od -An -tx1")["output"].split() == [
            "78",
            "20",
            "3d",
            "20",
            "22",
            "62",
            "6c",
            "f6",
            "64",
            "22",
            "0a",
        ]
        found = me.use("search_files", pattern="blöd", path=".")
        assert [(each["path"], each["content"]) for each in found["matches"]] == [("latin.py", 'x = "blöd"')]
        assert me.use("read_file", file_path="enc.ini")["encoding"] == "uncertain"
        assert "uncertain" in me.call("write_file", {"file_path": "enc.ini", "content": "blöd\n"})["error"]
        me.use("write_file", file_path=".editorconfig", content="root = true\n[*.ini]\ncharset = latin1\n")
        assert me.use("read_file", file_path="enc.ini")["content"] == "1|grün"
        me.use("write_file", file_path="new/enc.ini", content="blöd\n")
        assert me.run("od -An -tx1 new/enc.ini")["output"].split() == ["62", "6c", "f6", "64", "0a"]

    return story


@pytest.fixture
def new_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Makes disks of a size, and takes them away when the test is over."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small disk needs root and mount (Debian package: mount)")
    made: list[Path] = []

    def make(options: str) -> Path:
        folder = Path(os.path.realpath(tmp_path)) / f"disk{len(made) or ''}"
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=False).returncode:
            pytest.skip("mounting is not allowed here")
        made.append(folder)
        return folder

    yield make
    for each in made:
        subprocess.run(["umount", "-l", str(each)], check=True)


@pytest.fixture
def small_disk(new_disk: Callable[[str], Path]) -> Path:
    """A disk that is soon full."""
    return new_disk("size=64k,nr_inodes=200")
