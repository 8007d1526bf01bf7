"""The steps of `hermes demo` for this package: commands, restorable files, a policy and an approval."""

from __future__ import annotations

import contextlib
import io
import json

from hermes_core.demo import Demo, DemoStep
from hermes_core.inspection import load_command

_LOCAL = {"terminal": {"env": "local"}}
_RULE = {
    "name": "no-push",
    "match": {"tool": "terminal", "args": {"command": {"regex": "^git push"}}},
    "action": "deny",
    "reason": "Only people push.",
}
_FILE = 'greeting = "Hello"\nprint(greeting, "world")\n'


def demo_steps() -> list[DemoStep]:
    """Return the steps."""
    return [
        DemoStep(title="A guarded shell", run=_run_commands, settings=_LOCAL, order=10),
        DemoStep(title="A command that is refused", run=_refuse, settings=_LOCAL, order=11),
        DemoStep(title="A file, patched and restored", run=_edit_file, settings=_LOCAL, order=12),
        DemoStep(title="Your policy decides", run=_deny, settings={**_LOCAL, "policy": {"rules": [_RULE]}}, order=13),
        DemoStep(title="An approval", run=_ask, settings=_LOCAL, order=14),
    ]


def _run_commands(demo: Demo) -> None:
    demo.say("Every command is checked before it runs. This one is harmless, so it runs at once:")
    answer = demo.call("terminal", {"command": "echo hello from $(basename $PWD)"})
    demo.require("hello from work" in str(answer.get("output")), "the command printed something else")
    demo.say("A number sent as text is converted:")
    demo.call("terminal", {"command": "test -d /", "timeout": "30"})


def _refuse(demo: Demo) -> None:
    demo.say("This command would destroy the machine. No setting and no approval lets it run:")
    demo.call("terminal", {"command": "rm -rf /"}, code="denied")


def _edit_file(demo: Demo) -> None:
    file = demo.directory / "hello.py"
    demo.say("The model writes a file and changes a line of it:")
    demo.call("write_file", {"file_path": file.name, "content": _FILE}, only=("bytes_written", "receipt"))
    change = {"path": file.name, "old_string": '"Hello"', "new_string": '"Goodbye"'}
    patched = demo.call("patch", change, only=("success", "receipt"))
    demo.show("\n".join(str(patched.get("diff")).splitlines()[2:]), "answer")
    demo.require("Goodbye" in file.read_text(encoding="utf-8"), "the file was not changed")
    demo.say("Every change leaves a receipt. Undo the last one:")
    demo.show("hermes undo")
    demo.show(_undo(demo), "answer")
    demo.require(file.read_text(encoding="utf-8") == _FILE, "the file was not restored")
    demo.call("read_file", {"file_path": file.name}, only=("content",))


def _undo(demo: Demo) -> str:
    """Run `hermes undo`, and return its first line."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            load_command(demo.hermes, "undo").main([], prog_name="hermes undo", standalone_mode=False)
    except SystemExit as ended:
        if ended.code:
            raise RuntimeError(f"hermes undo ended with {ended.code}: {printed.getvalue().strip()}") from ended
    return "→ " + (printed.getvalue().strip().splitlines() or [""])[0]


def _deny(demo: Demo) -> None:
    demo.say("A policy is a list of rules in config.yaml. This rule applies here:")
    demo.show(
        "\n".join(f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in _RULE.items())
    )
    demo.call("terminal", {"command": "git push origin main"}, code="denied")


def _ask(demo: Demo) -> None:
    demo.say("Deleting a directory can be legitimate, so you are asked. The demo approves it once:")
    demo.call("terminal", {"command": "mkdir build && touch build/a && rm -rf build"})
    demo.require(bool(demo.approvals), "no approval was asked for")
    reasons = "; ".join(finding.reason for finding in demo.approvals[-1].findings)
    demo.show(f"asked: {reasons}. Answer: once.", "note")
