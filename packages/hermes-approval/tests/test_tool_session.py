"""A process that a tool started has the authority of its session, and cannot widen it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hermes_core.config.tool_session import VARIABLE, ToolSession, session_of

PLUGIN = """
from hermes_core import Finding, hookimpl, tool

def assess(args, ctx):
    return Finding(rule="shed.wipe", severity="ask", reason="it wipes the shed")

@tool(toolset="shed", assess=assess)
def wipe(what: str) -> str:
    '''Wipe something.'''
    return "wiped " + what

@tool(toolset="shed")
def look() -> str:
    '''Look around.'''
    return "a shed"

@hookimpl
def hermes_tools():
    return [wipe, look]
"""
LIMITED = """
import os, resource, sys
from hermes_core.config.tool_session import ToolSession
for number, value in {**ToolSession(sys.argv[1]).limits, resource.RLIMIT_RTTIME: (1 << 61) + 5}.items():
    resource.setrlimit(number, (value, value))
os.execv(sys.argv[2], sys.argv[2:])
"""


linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells more than the variable")


@pytest.fixture(autouse=True)
def session(home: Path) -> Path:
    """The home of a session, with a tool that needs an approval and one that does not."""
    (home / "plugins").mkdir(parents=True)
    (home / "plugins" / "shed.py").write_text(PLUGIN)
    return home


def run(argv: Iterable[str], *, inside: Path | None = None, **environ: Any) -> subprocess.CompletedProcess[str]:
    marked = {VARIABLE: str(inside)} if inside is not None else {}
    return subprocess.run(
        list(argv), env={**os.environ, **marked, **environ}, capture_output=True, text=True, check=False, timeout=60
    )


def hermes(*words: str, inside: Path | None = None, **environ: Any) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-m", "hermes_core", *words], inside=inside, **environ)


def python(code: str, *, inside: Path | None = None, **environ: Any) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-c", textwrap.dedent(code)], inside=inside, **environ)


# -- the command -----------------------------------------------------------------------------------------------------


def test_yes_approves_outside_and_not_inside(home: Path) -> None:
    assert hermes("call", "--yes", "wipe", "what=x").returncode == 0
    done = hermes("call", "--yes", "wipe", "what=x", inside=home)
    assert done.returncode == 4
    error = json.loads(done.stdout)["error"]
    assert "it wipes the shed" in error
    assert "A tool started this process" in error
    assert "hermes approvals add" in error


def test_what_needs_no_approval_runs_inside(home: Path) -> None:
    assert hermes("call", "look", inside=home).stdout == '"a shed"\n'


@pytest.mark.parametrize("variable", ["HERMES_APPROVALS__MODE", "hermes_approvals__mode", "HERMES_approvals__Mode"])
def test_the_mode_of_a_variable_does_not_count_inside(home: Path, variable: str) -> None:
    assert hermes("call", "wipe", "what=x", inside=None, **{variable: "off"}).returncode == 0
    assert hermes("call", "wipe", "what=x", inside=home, **{variable: "off"}).returncode == 4


@pytest.mark.parametrize("file", ["config.yaml", ".env"])
def test_the_mode_that_the_user_wrote_counts_inside(home: Path, file: str) -> None:
    text = "approvals: {mode: 'off'}\n" if file == "config.yaml" else "HERMES_APPROVALS__MODE=off\n"
    (home / file).write_text(text)
    (home / file).chmod(0o600)
    assert hermes("call", "wipe", "what=x", inside=home).returncode == 0


def test_grants_of_the_session_count_inside(home: Path) -> None:
    added = hermes("approvals", "add", "wipe", "shed.wipe", "--arg", "what=x")
    assert added.returncode == 0, added.stderr
    assert hermes("call", "wipe", "what=x", inside=home).returncode == 0
    assert hermes("call", "wipe", "what=y", inside=home).returncode == 4


@pytest.mark.parametrize(
    "words",
    [
        ["approvals", "add", "wipe", "shed.wipe"],
        ["approvals", "revoke", "--all"],
        ["config", "set", "approvals.mode", "off"],
        ["config", "unset", "approvals.mode"],
        ["config", "set", "approvals.smart_api_key", "x"],
        ["lock"],
        ["lock", "--file", "other.lock"],
        ["lock", "accept", "look"],
        ["plugins", "trust"],
        ["plugins", "trust", "--revoke"],
    ],
)
def test_commands_that_change_authority_are_refused_inside(
    home: Path, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".hermes" / "plugins").mkdir(parents=True)
    (tmp_path / ".hermes" / "plugins" / "mine.py").write_text(PLUGIN.replace("wipe", "mop").replace("look", "see"))
    assert hermes("approvals", "add", "wipe", "shed.wipe").returncode == 0
    assert hermes("config", "set", "approvals.mode", "manual").returncode == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "audit.jsonl"}
    done = hermes(*words, inside=home)
    assert done.returncode == 2, (done.stdout, done.stderr)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "audit.jsonl"}
    assert {path for path in after if "__pycache__" not in path.parts} == set(before)
    assert all(after[path] == text for path, text in before.items())


def test_another_home_is_refused_inside(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.yaml").write_text("approvals: {mode: 'off'}\n")
    for environ in ({"HERMES_HOME": str(other)}, {"HERMES_HOME": "", "HOME": str(other)}):
        done = hermes("tools", inside=home, **environ)
        assert done.returncode == (2 if environ["HERMES_HOME"] else 0), done.stderr
    assert "the home of its session" in hermes("tools", inside=home, HERMES_HOME=str(other)).stderr


def test_the_home_may_be_named_by_a_link(home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(home)
    assert hermes("tools", inside=home, HERMES_HOME=str(tmp_path / "link")).returncode == 0


def test_variables_that_choose_plugins_and_locks_do_not_count_inside(home: Path, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(PLUGIN.replace('"wiped', '"evil'))
    assert "evil" in hermes("plugins", HERMES_PLUGINS=str(tmp_path / "evil.py")).stdout
    assert "evil" not in hermes("plugins", inside=home, HERMES_PLUGINS=str(tmp_path / "evil.py")).stdout
    (home / "hermes.lock").write_text("broken")
    assert hermes("call", "look", HERMES_LOCK="off").returncode == 0
    assert hermes("call", "look", inside=home, HERMES_LOCK="off").returncode == 2


def test_a_required_plugin_is_required_inside(home: Path) -> None:
    (home / "config.yaml").write_text("plugins: {required: [police]}\n")
    assert hermes("call", "look", inside=home, HERMES_PLUGINS__REQUIRED="[]").returncode == 2


def test_the_doctor_runs_inside(home: Path) -> None:
    done = hermes("doctor", inside=home)
    assert done.returncode == 0, done.stdout
    assert "health checks: not run" in done.stdout


# -- the library -----------------------------------------------------------------------------------------------------


APPLICATION = """
from hermes_approval import Approval, HostApproval
from hermes_core import Decision, Finding, Hermes, hookimpl, tool
from hermes_approval.grants.grant import Grant
from hermes_approval.grants.grant_set import GrantSet

asked = []

@tool(toolset="x", assess=lambda args, ctx: Finding(rule="x.ask", severity="ask", reason="it asks"))
def ask(a: int) -> int:
    '''Ask.'''
    return a

@tool(toolset="x")
def plain(a: int) -> int:
    '''Return it.'''
    return a

class Approver:
    @hookimpl
    def hermes_request_approval(self, request):
        asked.append(request)
        return Decision(outcome="allowed")

GRANT = Grant(id="g", tool="ask", rule="x.ask", args={}, scope="always", by="me", at=0.0)

def outcome(host, **options):
    return host.run("ask", {"a": 1}, **options).decision.outcome

"""


def test_an_application_works_inside_and_approves_nothing(home: Path) -> None:
    code = (
        APPLICATION
        + """
approver = lambda request: asked.append(request) or True
for options in (
    {"approver": approver},
    {"plugins": [Approval(mode="off")]},
    {"plugins": [Approver()]},
    {"config": {"approvals": {"mode": "off"}}},
    {"environ": {"HERMES_APPROVALS__MODE": "off"}, "config": {"approvals": {}}},
    {"plugins": [Approval(policy=[{"name": "lift", "match": {"tool": "ask"}, "action": "allow", "lifts": ["*"]}])]},
    {"plugins": [Approval(grants=GrantSet([GRANT]))]},
):
    with Hermes(tools=[ask, plain], **options) as host:
        print(host.call("plain", {"a": 1}), outcome(host), host.batch([("ask", {"a": 1})])[0][:11])
print(asked)
"""
    )
    done = python(code, inside=home)
    assert done.stderr == ""
    assert done.stdout == '1 denied-by-policy {"error": "\n' * 7 + "[]\n"
    assert python(code).stdout.startswith("1 allowed")


def test_a_host_with_a_parent_and_one_that_is_loaded_approve_nothing_inside(home: Path) -> None:
    code = (
        APPLICATION
        + """
off = [Approval(mode="off")]
with Hermes(tools=[ask], plugins=off) as parent, Hermes(tools=[ask], parent=parent, plugins=off) as child:
    print(outcome(parent), outcome(child))
off = [Approval(mode="off", approver=lambda request: True)]
with Hermes.load(tools=[ask], plugins=off) as host:
    print(outcome(host), host.rehearse("ask", {"a": 1}).decision.outcome)
"""
    )
    assert python(code, inside=home).stdout == "denied-by-policy denied-by-policy\n" * 2


@linux
def test_the_session_cannot_be_left_by_changing_variables_in_the_process(home: Path, tmp_path: Path) -> None:
    code = """
    import os
    for name in ("HERMES_TOOL_SESSION", "HERMES_HOME"):
        os.environ.pop(name, None)
    os.environ["HERMES_HOME"] = "/elsewhere"
    from hermes_core import ConfigError, Hermes
    for make in (Hermes, Hermes.load):
        try:
            make()
        except ConfigError as error:
            print("refused" if "its session" in str(error) else error)
    """
    assert python(code, inside=home).stdout == "refused\nrefused\n"


def test_writing_through_the_library_is_refused_inside(home: Path) -> None:
    code = """
    from hermes_core import ConfigError, Hermes
    from hermes_approval import Grant, HostApproval
    from hermes_core.config.config import Config
    from hermes_core.plugins.trust import Trust
    host = Hermes.load()
    grant = Grant(id="g", tool="wipe", rule="shed.wipe", args={}, scope="always", by="me", at=0.0)
    for change in (
        lambda: Config().set("approvals.mode", "off"),
        lambda: Config().unset("approvals.mode") or Config().set("plugins.disabled", ["guard"]),
        lambda: Trust(host.home).add("/tmp", {}),
        lambda: Config("/elsewhere"),
        lambda: HostApproval.of(host).grants.add(grant),
    ):
        try:
            change()
        except ConfigError as error:
            print("refused")
    print(host.run("wipe", {"what": "x"}).decision.outcome)
    """
    assert python(code, inside=home).stdout == "refused\n" * 5 + "denied-by-policy\n"


# -- the signs -------------------------------------------------------------------------------------------------------


def limited(home: Path, *argv: str, **environ: Any) -> subprocess.CompletedProcess[str]:
    """A process with the limits of a session, and nothing else of it."""
    from shutil import which

    program = which(argv[0]) or argv[0]
    return run([sys.executable, "-c", LIMITED, str(home), program, *argv[1:]], **environ)


@linux
def test_an_ancestor_tells_what_a_process_hides(home: Path) -> None:
    inner = f"env -u {VARIABLE} {sys.executable} -m hermes_core call --yes wipe what=x; exit $?"
    assert run(["sh", "-c", inner], inside=home).returncode == 4
    assert run(["sh", "-c", inner.replace(f"-u {VARIABLE}", "-i")], inside=home).returncode == 4


@linux
def test_the_outermost_session_counts(home: Path, tmp_path: Path) -> None:
    inner = f"{VARIABLE}={tmp_path} HERMES_HOME={tmp_path} {sys.executable} -m hermes_core tools"
    done = run(["sh", "-c", f"{inner}; exit $?"], inside=home)
    assert done.returncode == 2
    assert str(home) in done.stderr


@linux
def test_limits_tell_what_the_environment_does_not(home: Path) -> None:
    call = [sys.executable, "-m", "hermes_core", "call", "--yes", "wipe", "what=x"]
    assert limited(home, *call).returncode == 2  # nobody says which session it was
    assert limited(home, *call, **{VARIABLE: str(home)}).returncode == 4


@linux
def test_limits_refute_a_forged_home(home: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / "config.yaml").write_text("approvals: {mode: 'off'}\n")
    done = limited(
        home, sys.executable, "-m", "hermes_core", "tools", HERMES_HOME=str(forged), **{VARIABLE: str(forged)}
    )
    assert done.returncode == 2
    assert "its session cannot be determined" in done.stderr


@linux
def test_limits_can_be_lowered_but_not_to_those_of_another_home(home: Path, tmp_path: Path) -> None:
    import resource

    values = ToolSession(home).limits
    others = [ToolSession(tmp_path / str(number)).limits for number in range(50)]
    assert not any(all(other[key] <= values[key] for key in values) for other in others)
    lowered = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_RTTIME, (7, 7))
resource.setrlimit(resource.RLIMIT_RSS, (7, 7))
os.execv(sys.executable, [sys.executable, "-m", "hermes_core", "call", "--yes", "wipe", "what=x"])
"""
    done = limited(home, sys.executable, "-c", lowered, **{VARIABLE: str(home)})
    assert done.returncode == 2
    assert resource.getrlimit(resource.RLIMIT_RTTIME)[1] == resource.RLIM_INFINITY


@linux
@pytest.mark.parametrize("value", [0, 7, 1 << 60])
def test_lowering_all_limits_does_not_leave_the_session(home: Path, value: int) -> None:
    lowered = f"""
import os, resource, sys
for number in (resource.RLIMIT_RTTIME, resource.RLIMIT_RSS, 10):
    resource.setrlimit(number, ({value}, {value}))
os.execv(sys.executable, [sys.executable, "-m", "hermes_core", "call", "--yes", "wipe", "what=x"])
"""
    for environ in ({}, {VARIABLE: str(home)}):
        assert limited(home, sys.executable, "-c", lowered, **environ).returncode == 2


@linux
@pytest.mark.parametrize("limit", ["RLIMIT_RTTIME", "RLIMIT_RSS"])
def test_a_small_limit_is_the_users_own(home: Path, limit: str) -> None:
    code = f"import resource; resource.setrlimit(resource.{limit}, (200000, 200000))\n"
    code += "import os\nfrom hermes_core.config.tool_session import session_of\nprint(session_of(os.getpid()))"
    assert python(code).stdout == "None\n"


@linux
@pytest.mark.parametrize("existed", [True, False])
def test_limits_refute_another_directory_at_the_path_of_the_home(home: Path, existed: bool) -> None:
    away, forged = home.with_name("away"), home.with_name("forged")
    forged.mkdir()
    (forged / "config.yaml").write_text("approvals: {mode: 'off'}\n")
    swap = f"mv {home} {away}; mv {forged} {home}; {sys.executable} -m hermes_core tools; exit $?"
    if not existed:  # then nothing is known of it but its path
        home.rename(away)
        swap = f"mv {away} {home}; {sys.executable} -m hermes_core tools; exit $?"
    done = limited(home, "sh", "-c", swap, **{VARIABLE: str(home)})
    assert done.returncode == (2 if existed else 0), done.stderr
    assert ("another directory at the path of its home" in done.stderr) == existed


def test_an_ordinary_process_belongs_to_no_session() -> None:
    assert session_of(os.getpid()) is None
