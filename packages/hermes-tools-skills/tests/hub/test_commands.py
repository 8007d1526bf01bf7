"""The commands of the hub, in scripts, on a terminal and in a chat."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_skills.cli.slash import run_slash
from hermes_tools_skills.hub.errors import HubError
from hermes_tools_skills.hub.installation import prepare_install
from hermes_tools_skills.hub.lock_file import read_lock
from hermes_tools_skills.hub.publication import open_pull_request, prepare_publication
from hermes_tools_skills.hub.snapshots import export_snapshot, import_snapshot
from hermes_tools_skills.hub.state_files import StateFiles

from .conftest import Answer, FakeGitHub, MakeHub, Site, skill_text
from .test_installation import ATTACK, write

PROGRAM = [sys.executable, "-m", "hermes_core", "skills"]


@pytest.fixture
def config(home: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings in which every source is on the server of the test."""
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    urls = "".join(f"    {name}_url: {site.url}\n" for name in ("github_api", "github_raw", "clawhub", "lobehub"))
    text = f"skills:\n  bundled: false\n  hub:\n{urls}    own_servers: ['{site.url}']\n"
    (home / "config.yaml").write_text(text)


def hermes(*words: str, code: int = 0) -> str:
    done = subprocess.run(
        [*PROGRAM, *words], capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


class Terminal:
    """A person at a terminal who types answers when a question appears."""

    def __init__(self, *words: str) -> None:
        ours, theirs = pty.openpty()
        self._ours = ours
        self._shown = b""
        self._child = subprocess.Popen(
            [*PROGRAM, *words], stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "COLUMNS": "200"}
        )
        os.close(theirs)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(self._ours, 65536):
                self._shown += part

    def answer(self, question: str, text: str) -> None:
        """Wait for a question and answer it."""
        deadline = time.monotonic() + 30
        while question.encode() not in self._shown:
            assert time.monotonic() < deadline, self._shown.decode()
            time.sleep(0.01)
        os.write(self._ours, f"{text}\n".encode())

    def finish(self, code: int = 0) -> str:
        """Wait for the end and return everything that was shown."""
        assert self._child.wait(30) == code, self._shown.decode()
        self._reader.join(10)
        os.close(self._ours)
        return self._shown.decode()


@pytest.mark.usefixtures("config")
def test_the_whole_workflow_on_a_terminal(home: Path, github: FakeGitHub) -> None:
    files = {"skills/pdf/SKILL.md": skill_text("pdf", "Read PDF files."), "skills/pdf/ref/a.md": "one\ntwo\n"}
    github.add("o/r", dict(files))
    for tap in (
        "claude:anthropics/claude-code",
        "anthropics/skills",
        "huggingface/skills",
        "NVIDIA/skills",
        "openai/skills",
    ):
        Terminal("tap", "remove", tap).finish()
    assert "Added github:o/r." in Terminal("tap", "add", "o/r").finish()
    assert "github:o/r/skills/pdf" in Terminal("search", "pdf", "--source", "github").finish()
    assert "It can be installed." in Terminal("inspect", "o/r/pdf", "--files").finish()

    refused = Terminal("install", "o/r/pdf")
    refused.answer("Install pdf?", "n")
    assert "Nothing was changed" in refused.finish(4)
    assert not (home / "skills" / "pdf").exists()
    asked = Terminal("install", "o/r/pdf")
    asked.answer("Install pdf?", "y")
    shown = asked.finish()
    assert "Downloading" in shown
    assert "Capabilities" in shown
    assert shown.index("Trust") < shown.index("Install pdf?") < shown.index("Installed pdf in")
    assert "INSTALLED SKILL" in Terminal("check").finish()

    github.add("o/r", {**files, "skills/pdf/ref/a.md": "one\nTWO\n"})
    (home / "skills" / "pdf" / "notes.txt").write_text("mine")
    assert "outdated" in Terminal("check", "pdf").finish(1)
    updated = Terminal("update", "--diff")
    updated.answer("Update pdf?", "y")
    assert "+TWO" in updated.finish()
    assert (home / "skills" / "pdf" / "notes.txt").read_text() == "mine"
    assert "verdict safe" in Terminal("audit").finish()
    removed = Terminal("uninstall", "pdf")
    removed.answer("Remove pdf?", "y")
    assert "Your files stay in" in removed.finish()


@pytest.mark.usefixtures("config")
def test_a_script_needs_yes_and_gets_json_and_exit_codes(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pdf"
    write(folder, **{"SKILL.md": skill_text("pdf")})
    assert "with --yes" in hermes("install", str(folder), code=4)
    found = json.loads(hermes("install", str(folder), "--yes", "--json"))
    assert (found["done"], found["skill"]["name"]) == (True, "pdf")
    assert "already installed" in hermes("install", str(folder), "--yes", code=1)
    checked = json.loads(hermes("check", "--json"))
    assert checked["installed"][0]["upstream"] == "current"
    assert json.loads(hermes("update", "--json", "--yes"))["skills"] == [{"name": "pdf", "done": False}]
    (folder / "SKILL.md").write_text(skill_text("pdf", body=ATTACK))
    blocked = json.loads(hermes("update", "--json", "--yes", "--force", code=4))
    assert blocked["skills"][0]["action"] == "block"
    assert "not installed with the hub" in hermes("uninstall", "nothing", "--yes", code=1)
    assert "error" in json.loads(hermes("install", "./missing", "--json", code=1))
    assert json.loads(hermes("uninstall", "pdf", "--yes", "--json"))["removed"][0]["name"] == "pdf"


@pytest.mark.usefixtures("config")
def test_a_blocked_skill_names_findings_that_can_be_accepted(tmp_path: Path) -> None:
    folder = tmp_path / "pdf"
    write(folder, **{"SKILL.md": skill_text("pdf", body=ATTACK)})
    shown = hermes("install", str(folder), "--yes", "--force", code=4)
    assert "SKILL.md:" in shown
    assert "To resolve it:" in shown
    ids = [line.split(" id ")[1] for line in shown.splitlines() if " id " in line]
    assert ids
    hermes("audit", *(word for each in ids for word in ("--accept", each)), code=4)
    hermes("audit", "--yes", *(word for each in ids for word in ("--accept", each)))
    hermes("install", str(folder), "--yes")


@pytest.mark.usefixtures("config")
def test_text_of_a_skill_cannot_control_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "pdf"
    write(folder, **{"SKILL.md": skill_text("pdf", '"Clear \\e[2J and \\u202e reverse."')})
    shown = hermes("inspect", str(folder))
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@pytest.mark.usefixtures("config")
def test_a_rate_limit_ends_a_command_with_the_time_to_wait_for(site: Site) -> None:
    site.routes["GET /repos/o/r/commits/HEAD"] = Answer("{}", 429, Retry_After="600")
    shown = hermes("install", "o/r/pdf", "--yes", code=1)
    assert "allows no more requests until" in shown
    assert "Traceback" not in shown


# -- chat ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("config")
def test_the_same_commands_work_in_a_chat(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pdf"
    write(folder, **{"SKILL.md": skill_text("pdf")})
    assert "Error: This needs your confirmation" in run_slash(f"/skills install {folder}")
    questions: list[str] = []
    shown: list[str] = []
    steps: list[str] = []

    def confirm(question: str) -> bool:
        questions.append(question)
        return True

    def show(lines: Any) -> None:
        shown.extend(lines)

    def progress(message: str, _done: int, _total: int) -> None:
        steps.append(message)

    text = run_slash(f"/skills install {folder}", confirm=confirm, show=show, progress=progress)
    assert text.endswith(f"Installed pdf in {home / 'skills' / 'pdf'}.")
    assert questions == ["Install pdf?"]
    assert any("Trust" in line for line in shown)
    assert "Scanning" in steps
    assert "pdf" in run_slash("/skills list")
    assert "verdict safe" in run_slash("skills audit")
    assert "Commands:" in run_slash("/skills")
    assert run_slash("/skills nothing").startswith("Error: There is no command")
    assert run_slash("/skills 'open").startswith("Error:")
    assert run_slash("/skills uninstall pdf --yes") == "Removed pdf."
    assert capsys.readouterr().out == ""


# -- snapshots -------------------------------------------------------------------------------------------------------


def test_a_snapshot_installs_the_same_versions_elsewhere(
    make_hub: MakeHub, github: FakeGitHub, tmp_path: Path, home: Path
) -> None:
    commit = github.add("o/r", {"skills/pdf/SKILL.md": skill_text("pdf", "One.")})
    local = tmp_path / "local"
    write(local, **{"SKILL.md": skill_text("local", "One.")})
    hub = make_hub()
    for identifier in ("o/r/pdf", str(local)):
        with prepare_install(hub, identifier, category="docs") as plan:
            plan.apply()
    file = tmp_path / "snapshot.json"
    assert export_snapshot(hub.state, file) == 2
    github.add("o/r", {"skills/pdf/SKILL.md": skill_text("pdf", "Two.")})
    (local / "SKILL.md").write_text(skill_text("local", "Two."))
    fresh = make_hub()
    fresh.state = StateFiles(tmp_path / "elsewhere")
    results = {each.name: each for each in import_snapshot(fresh, file, lambda _: True)}
    assert results["pdf"].outcome == "installed"
    assert results["local"].outcome == "skipped"
    assert "another version" in results["local"].reason
    entry = read_lock(fresh.state)["pdf"]
    assert entry.pinned.endswith(commit)
    assert entry.upstream_hash == read_lock(hub.state)["pdf"].upstream_hash
    assert (tmp_path / "elsewhere/skills/docs/pdf").is_dir()
    again = {each.name: each.outcome for each in import_snapshot(fresh, file, lambda _: True, latest=True)}
    assert again == {"pdf": "present", "local": "installed"}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "hermes-skills-snapshot", "version": 1, "taps": 1}'])
def test_another_file_is_no_snapshot(make_hub: MakeHub, tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(HubError):
        list(import_snapshot(make_hub(), file, lambda _: True))


# -- publishing ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("config")
def test_a_published_archive_can_be_installed_again(home: Path, site: Site, tmp_path: Path) -> None:
    write(home / "skills" / "mine", **{"SKILL.md": skill_text("mine"), "scripts/run.sh": "echo\n"})
    (home / "skills" / "mine" / "scripts" / "run.sh").chmod(0o755)
    file = tmp_path / "mine.zip"
    hermes("publish", "mine", "--zip", str(file), "--yes")
    assert sorted(zipfile.ZipFile(file).namelist()) == ["mine/SKILL.md", "mine/scripts/run.sh"]
    first = file.read_bytes()
    hermes("publish", "mine", "--zip", str(file), "--yes")
    assert file.read_bytes() == first
    site.routes["GET /mine.zip"] = Answer(first)
    hermes("install", f"{site.url}/mine.zip", "--yes", "--name", "copy")
    assert os.access(home / "skills" / "copy" / "scripts" / "run.sh", os.X_OK)
    (home / "skills" / "mine" / "SKILL.md").write_text(skill_text("mine", body=ATTACK))
    assert "others could not install it" in hermes("publish", "mine", "--zip", str(file), "--yes", code=4)
    (home / "skills" / "mine" / "SKILL.md").write_text(skill_text("Other Name"))
    assert "does not conform" in hermes("publish", str(home / "skills" / "mine"), "--zip", str(file), "--yes", code=4)


@pytest.mark.parametrize("writable", [True, False])
def test_a_pull_request_is_opened(
    make_hub: MakeHub, github: FakeGitHub, site: Site, home: Path, writable: bool
) -> None:
    github.add("o/r", {"README.md": "x"})
    write(home / "skills" / "mine", **{"SKILL.md": skill_text("mine", "Do mine.")})
    target = "o/r" if writable else "me/r"
    routes = site.routes
    routes["GET /repos/o/r"] = Answer({"default_branch": "main", "permissions": {"push": writable}})
    routes["POST /repos/o/r/forks"] = Answer({"full_name": "me/r"}, 202)
    routes["GET /repos/me/r"] = Answer({"full_name": "me/r"})
    for name, sha in (("blobs", "1"), ("trees", "2"), ("commits", "3")):
        routes[f"POST /repos/{target}/git/{name}"] = Answer({"sha": sha * 40}, 201)
    routes[f"POST /repos/{target}/git/refs"] = Answer({"ref": "x"}, 201)
    routes["POST /repos/o/r/pulls"] = Answer({"html_url": "https://github.com/o/r/pull/1"}, 201)
    with pytest.raises(HubError, match="token"):
        open_pull_request(make_hub(), prepare_publication(make_hub(), "mine"), "o/r")
    hub = make_hub(github_token="t")
    assert open_pull_request(hub, prepare_publication(hub, "mine"), "o/r") == "https://github.com/o/r/pull/1"
    sent = {line: json.loads(body) for line, _, body in site.requests if line.startswith("POST")}
    pull = sent["POST /repos/o/r/pulls"]
    assert (pull["base"], pull["title"]) == ("main", "Add the skill mine")
    assert pull["head"] == ("" if writable else "me:") + "skill-mine-33333333"
    (entry,) = sent[f"POST /repos/{target}/git/trees"]["tree"]
    assert (entry["path"], entry["mode"], entry["sha"]) == ("skills/mine/SKILL.md", "100644", "1" * 40)
