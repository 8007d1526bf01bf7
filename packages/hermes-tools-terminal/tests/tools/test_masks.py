"""Masks reach the model only: never a script, never a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hermes_tools_terminal.plugin
from hermes_core import Hermes
from hermes_text.secrets import find_masks
from hermes_tools_terminal.session_state import notices

Make = Callable[..., Any]
TOKEN = "ghp_" + "k3Jd9sLq" * 4 + "Zt7W"
TEXT = f"user = 'bob'\ntoken = '{TOKEN}'\nretries = 3\n"


@pytest.fixture
def file(me: Any) -> Path:
    path: Path = me.project / "a.py"
    path.write_text(TEXT)
    return path


def display_path(me: Any) -> str:
    """Read the file as a model does, without the numbers of its lines."""
    content = me.use("read_file", file_path="a.py")["content"]
    return "".join(line.partition("|")[2] + "\n" for line in content.splitlines())


def test_source_code_is_read_as_it_is(me: Any) -> None:
    code = (
        "token = self[0]\nlet auth = storage\nasync fn run(cancellation_token: CancellationToken) {}\n"
        'password: required\nsecret = os.environ["SECRET_NAME_HERE"]\n# the token: a word about tokens\n'
    )
    (me.project / "a.py").write_text(code)
    assert display_path(me) == code
    assert me.run("cat a.py")["output"] == code
    found = me.use("search_files", pattern=".", path="a.py")["matches"]
    assert [each["content"] for each in found] == code.splitlines()
    assert me.call("execute_code", {"code": "print(open('a.py').read(), end='')"})["output"] == code


def test_a_mask_that_was_read_is_not_written_back_by_any_tool(me: Any, file: Path) -> None:
    text = display_path(me)
    [mask] = find_masks(text)
    line = text.splitlines()[1]
    patch = "*** Update File: a.py\n@@\n {}\n-retries = 3\n+retries = 4\n"
    calls: list[tuple[str, dict[str, Any], int]] = [
        ("write_file", {"file_path": "a.py", "content": text.replace("bob", "al")}, 2),
        ("write_file", {"file_path": "new.py", "content": text}, 2),
        ("patch", {"path": "a.py", "old_string": f"{line}\nretries = 3", "new_string": "x"}, 1),
        ("patch", {"path": "a.py", "old_string": "retries = 3", "new_string": f"retries = 4\n{line}"}, 2),
        ("patch", {"mode": "patch", "patch": patch.format(line)}, 3),
        ("patch", {"mode": "patch", "patch": f"*** Add File: new.py\n+x = 1\n+{line}\n"}, 3),
        ("execute_code", {"code": f"text = '''\n{line}'''\nopen('new.py', 'w').write(text)"}, 2),
        ("terminal", {"command": f"cat > new.py <<'END'\n{line}\nEND"}, 2),
        ("terminal", {"command": f'sleep 1\necho "{line}" > new.py', "background": True}, 2),
    ]
    for name, args, number in calls:
        told = me.call(name, args)
        assert f"Line {number} of the " in told["error"], (name, told)
        assert mask.text in told["error"]
    assert file.read_text() == TEXT
    assert [path.name for path in me.project.iterdir()] == ["a.py"]


def test_a_mask_does_not_become_the_name_of_a_file(me: Any) -> None:
    (me.project / TOKEN).mkdir()
    [mask] = find_masks(me.run("ls")["output"])
    for path in (f"{mask.text}/new.py", f"copy of {mask.text}", f"a/{mask.text}/b/c.txt"):
        told = me.call("write_file", {"file_path": path, "content": "x = 1\n"})
        assert f"the path contains {mask.text}" in told["error"]
    assert list(me.project.rglob("*")) == [me.project / TOKEN]
    (me.project / mask.text).write_text("x")
    me.use("write_file", file_path=mask.text, content="y")


def test_a_mask_is_not_typed_into_a_process(me: Any, file: Path) -> None:
    id = me.start("cat")
    told = me.process("submit", id, data=display_path(me))
    assert "Line 2 of the data contains [secret:" in told["error"]
    me.process("close", id)
    assert me.process("wait", id)["output"] == ""


def test_lines_beside_a_secret_can_be_changed(me: Any, file: Path) -> None:
    done = me.use("patch", path="a.py", old_string="retries = 3", new_string="retries = 4")
    assert file.read_text() == TEXT.replace("3\n", "4\n")
    assert TOKEN not in done["diff"]
    assert "[secret:github-token#" in done["diff"]


@pytest.mark.parametrize(
    "write", ["write_file(file_path='b.py', content=text)", "open('b.py', 'w').write(text)"], ids=["tool", "open"]
)
def test_a_script_copies_a_file_with_its_secrets(me: Any, file: Path, write: str) -> None:
    code = (
        "from hermes_tools import read_file, write_file, search_files, terminal\n"
        "lines = read_file(file_path='a.py')['content'].splitlines()\n"
        "text = ''.join(line.partition('|')[2] + '\\n' for line in lines)\n"
        "assert '[secret:' not in str(search_files(pattern='token', path='a.py'))\n"
        "assert terminal(command='cat a.py')['output'] == text\n"
        f"{write}\n"
        "print(text)\n"
    )
    told = me.call("execute_code", {"code": code})
    assert told["status"] == "success", told
    assert (me.project / "b.py").read_text() == TEXT
    assert TOKEN not in json.dumps(told)
    assert "[secret:github-token#" in told["output"]


def test_a_script_cannot_write_a_mask_with_a_tool(me: Any, file: Path) -> None:
    mask = find_masks(display_path(me))[0].text
    half = len(mask) // 2
    code = (
        "from hermes_tools import write_file\n"
        f"print(write_file(file_path='b.py', content='x\\n' + {mask[:half]!r} + {mask[half:]!r}))\n"
    )
    assert "Line 2 of the content" in me.call("execute_code", {"code": code})["output"]
    assert not (me.project / "b.py").exists()


def test_a_mask_that_is_in_a_file_already_stays_writable(me: Any, file: Path) -> None:
    line = display_path(me).splitlines()[1]
    (me.project / "notes.md").write_text(f"one\n{line}\n")
    me.use("patch", path="notes.md", old_string=f"one\n{line}", new_string=f"two\n{line}")
    me.use("write_file", file_path="notes.md", content=f"{line}\nthree\n")
    assert (me.project / "notes.md").read_text() == f"{line}\nthree\n"
    move = "*** Update File: notes.md\n*** Move to: moved.md\n@@\n-three\n+four\n"
    me.use("patch", mode="patch", patch=move)
    assert (me.project / "moved.md").read_text() == f"{line}\nfour\n"
    told = me.call("write_file", {"file_path": "moved.md", "content": f"{line}\n{line}\n"})
    assert "Line 2 of the content" in told["error"]


@pytest.mark.parametrize("off", ["off", "false", "'off'"])
def test_masking_can_be_turned_off_for_every_tool(tmp_path: Path, home: Path, off: str) -> None:
    home.mkdir()
    (home / "config.yaml").write_text(f"files:\n  mask_secrets: {off}\nterminal:\n  cwd: {tmp_path}\n")
    (tmp_path / "a.py").write_text(TEXT)
    with Hermes.load(home=home, discover=False, plugins=[hermes_tools_terminal.plugin]) as hermes:
        for name, args in (
            ("read_file", {"file_path": "a.py"}),
            ("terminal", {"command": "cat a.py"}),
            ("search_files", {"pattern": "token", "path": "a.py"}),
            ("execute_code", {"code": "print(open('a.py').read())"}),
            ("patch", {"path": "a.py", "old_string": "'bob'", "new_string": "'al'"}),
        ):
            assert TOKEN in hermes.call(name, args), name


def test_the_users_own_secret_is_masked_and_its_mask_names_the_variable(
    agent: Make, tmp_path: Path, home: Path
) -> None:
    home.mkdir()
    (home / ".env").write_text("ACME_TOKEN=plum-otter-49\n")
    me = agent(terminal={"cwd": str(tmp_path)})
    told = me.run("echo plum-otter-''49")
    assert "[secret:ACME_TOKEN#" in told["output"]
    assert "otter" not in told["output"]


def test_a_private_key_is_masked_wherever_reading_begins(me: Any) -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
    key = ["-----BEGIN RSA PRIVATE KEY-----", *[line] * 20, "Zt7W==", "-----END RSA PRIVATE KEY-----", "after"]
    (me.project / "a.txt").write_text("\n".join(["before", *key]))
    for offset, limit in ((1, 100), (2, 4), (3, 4), (9, 5), (9, 100), (22, 100)):
        content = me.use("read_file", file_path="a.txt", offset=offset, limit=limit)["content"]
        assert "MIIE" not in content, (offset, limit)
        assert content.startswith(f"{offset}|")
    assert me.use("read_file", file_path="a.txt", offset=24)["content"].endswith("25|after")
    (me.project / "b.txt").write_text("x\n" + f"{line}\n" * 5)
    assert line in me.use("read_file", file_path="b.txt", offset=3)["content"]


def test_an_error_quotes_code_as_it_is(me: Any, file: Path) -> None:
    patch = "*** Update File: a.py\n@@\n-cancellation_token: CancellationToken = storage\n+x\n"
    told = me.call("patch", {"mode": "patch", "patch": patch})
    assert "cancellation_token: CancellationToken = storage" in told["error"]
    told = me.call("patch", {"mode": "patch", "patch": patch.replace("storage", TOKEN)})
    assert TOKEN not in json.dumps(told)


def test_a_mask_is_never_cut_in_two(me: Any) -> None:
    (me.project / "long.txt").write_text(
        "\n".join("x" * size + f" needle {TOKEN} " + "y" * 2000 for size in range(900))
    )
    for each in me.use("search_files", pattern="needle", path="long.txt", limit=900)["matches"]:
        assert each["content"].count("[secret") == len(find_masks(each["content"])) == each["content"].count("#")
    id = me.start(f"printf '%s %0160d' {TOKEN[:9]}''{TOKEN[9:]} 0", notify_on_complete=True)
    assert me.process("wait", id)["status"] == "exited"
    for listed in me.process("list")["processes"]:
        assert listed["output_preview"].count("#") == len(find_masks(listed["output_preview"]))
    assert TOKEN not in json.dumps(notices(me.hermes._dispatcher.default_session))
