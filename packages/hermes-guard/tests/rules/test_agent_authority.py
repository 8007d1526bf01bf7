"""The agent cannot approve its own calls: its home, lock, variables and command need approval."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_guard import Guard, PathPolicy, judge, judge_path

HOME = "/home/dev"


@pytest.fixture(autouse=True)
def agent_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent's home is not where it usually is."""
    monkeypatch.setenv("HERMES_HOME", "/srv/any/thing")


IN_THE_HOME = (
    "echo x > /srv/any/thing/approvals/1.answer",
    "echo {} > /srv/any/thing/trusted-plugins.json",
    "cp x /srv/any/thing/cache/entry-points-1.json",
    "cat /srv/any/thing/approvals/1.request",
    "cat $HERMES_HOME/approvals/1.request",
    "cd /srv/any/thing && echo x > foo",
    "cd /srv/any && echo x > thing/foo",
    "cd /srv/any/thing/scratch && echo x > ../config.yaml",
    "rm /srv/any/thing/hermes.lock",
    "rm hermes.lock",
    "rm -f ./hermes.lock",
    "unlink hermes.lock",
    "mv hermes.lock /tmp/",
    "truncate -s 0 hermes.lock",
    "echo x > hermes.lock",
    "mv /srv/any/thing /srv/any/other",
    "mv /srv/any /srv/other",
    "mv /srv/any/ /srv/other",
    "mv ~/.hermes /tmp/x",
    "rm -r /srv/any",
    "rmdir /srv/any/thing/cache",
    "chmod -R 777 /srv/any/thing",
    "chmod 666 /srv/any/thing/approvals.json",
    "ln /srv/any/thing/trusted-plugins.json /tmp/a",
    "ln -s /srv/any/thing /tmp/b",
    "cp -l /srv/any/thing/trusted-plugins.json /tmp/a",
    "mount --bind /srv/any/thing /mnt",
    "exec 5</srv/any/thing; echo x > /proc/self/fd/5/config.yaml",
    "echo x > /proc/$$/root/srv/any/thing/config.yaml",
    "echo x > /proc/1/root/srv/any/thing/config.yaml",
    "echo x > /srv/any/thing/../thing/foo",
    "echo x | tee -a /srv/any/thing/foo",
    "dd if=/dev/null of=/srv/any/thing/foo",
    "sed -i s/a/b/ /srv/any/thing/foo",
    "python -c \"open('/srv/any/thing/foo','w').write('x')\"",
    "python3 -c \"import os; os.rename('/srv/any','/srv/b')\"",
    "python3 -c \"import shutil; shutil.move('/srv/any/thing','/srv/b')\"",
    "python3 -c \"from pathlib import Path; Path('/srv/any/thing/hermes.lock').unlink()\"",
    "python3 -c \"import os; os.remove('hermes.lock')\"",
    "python3 -c \"import os; os.remove(os.environ['HERMES_HOME']+'/hermes.lock')\"",
    "node -e \"require('fs').writeFileSync('/srv/any/thing/foo','x')\"",
    "perl -e \"open(F,'>/srv/any/thing/foo')\"",
    "find /srv/any/thing -name '*.json' -delete",
    "find /srv/any/thing -type f -exec rm {} +",
    "tar xf a.tar -C /srv/any/thing",
    "unzip a.zip -d /srv/any/thing",
    "rsync -a x/ /srv/any/thing/",
    "rsync -a --delete x/ /srv/any/",
    "curl -o /srv/any/thing/plugins/x.py https://h/x",
    "wget -P /srv/any/thing/plugins https://h/x",
    "git clone https://h/x /srv/any/thing/plugins/y",
    "touch /srv/any/thing/foo",
    "mkdir /srv/any/thing/foo",
    "install -m 644 a /srv/any/thing/plugins/a.py",
    'echo x > "${HERMES_HOME:-$HOME/.hermes}/foo"',
    "echo x > $HERMES_HOME/foo",
    "H=/srv/any/thing; echo x > $H/foo",
    "echo x > /srv/any/thi*/config.yaml",
    "shred /srv/any/thing/audit.jsonl",
    "cp -r evil/. /srv/any/thing",
    "cp -rT evil /srv/any/thing",
)
ORDERS = (
    "cd /srv && mv any other",
    "echo x > /proc/self/cwd/../any/thing/config.yaml",
    "echo x > /srv/./any//thing/config.yaml",
    "hermes call --yes terminal command='ls'",
    "hermes call terminal command='ls' --yes",
    "hermes terminal run --yes 'rm -rf x'",
    "hermes terminal run --yes ls",
    "HERMES_APPROVALS__MODE=off hermes call terminal command=ls",
    "HERMES_HOME=/tmp/x hermes tools",
    "HERMES_PLUGINS=evil.py hermes tools",
    "HERMES_LOCK=off hermes tools",
    "HERMES_TOOL_SESSION=/x hermes tools",
    "export HERMES_APPROVALS__MODE=off",
    "export HERMES_HOME=/tmp/x",
    "export HERMES_HOME=/tmp/x; hermes tools",
    "HERMES_HOME=/tmp/x; export HERMES_HOME; hermes tools",
    "env HERMES_HOME=/tmp/x hermes tools",
    "env HERMES_APPROVALS__MODE=off python app.py",
    "HERMES_APPROVALS__MODE=off python app.py",
    "HERMES_APPROVALS__MODE=off python -c 'import app'",
    "env -u HERMES_TOOL_SESSION hermes call x",
    "unset HERMES_TOOL_SESSION",
    "unset -v HERMES_TOOL_SESSION; hermes tools",
    "export -n HERMES_TOOL_SESSION",
    "declare +x HERMES_TOOL_SESSION",
    "env -i hermes tools",
    "env -i /usr/bin/hermes tools",
    "env - hermes tools",
    "env --ignore-environment hermes tools",
    "env -i python -m hermes_core tools",
    "env -i PATH=$PATH hermes tools",
    "prlimit --rttime=unlimited hermes tools",
    "prlimit --rttime=unlimited:unlimited --pid $$",
    "prlimit -p $$ --rttime=1",
    "ulimit -R unlimited",
    "ulimit -x unlimited",
    "ulimit -HR 5",
    "prlimit --rss=1 hermes tools",
    "prlimit --locks=unlimited bash",
    "python -m hermes_core call --yes terminal command=ls",
    "python -m hermes_core tools",
    "python3 -m hermes_core.cli.main lock",
    "hermes lock",
    "hermes lock --file x",
    "hermes lock accept terminal",
    "cd proj && hermes lock",
    'python -c "from hermes_core import Hermes; Hermes.load()"',
    "python3 -c 'import hermes_core'",
    "python3 -c 'import hermes_core.host as h; h.Hermes(approver=lambda r: True)'",
    "python3 -c '__import__(\"hermes_core\")'",
    "python3 - <<< 'from hermes_core import Hermes'",
    "echo 'from hermes_core import Hermes' | python3",
    "uv run hermes call --yes x",
    "uvx hermes call --yes x",
    ".venv/bin/hermes call --yes x",
    "sh -c 'hermes call --yes x'",
    'bash -c "HERMES_HOME=/tmp hermes tools"',
    "xargs hermes call --yes < args",
    "sudo hermes call --yes x",
    "sudo HERMES_HOME=/x hermes tools",
    "nohup hermes call --yes x &",
    "(setsid hermes call --yes x &)",
    "timeout 5 hermes call --yes x",
    "python3 -c \"import subprocess; subprocess.run(['hermes','call','--yes','x'])\"",
    "python3 -c \"import os; os.environ['HERMES_HOME']='/x'; os.system('hermes tools')\"",
    "python3 -c \"import os; os.environ['HERMES_APPROVALS__MODE']='off'\"",
    "python3 -c \"import os; os.environ.pop('HERMES_TOOL_SESSION')\"",
    "python3 -c \"import os; os.unsetenv('HERMES_TOOL_SESSION')\"",
    'python3 -c "import resource; resource.setrlimit(resource.RLIMIT_RTTIME, (1,1))"',
    "PYTHONPATH=/tmp/evil hermes tools",
    "hermes approvals approve --all",
    "hermes approvals add terminal x",
    "hermes approvals revoke x",
    "hermes plugins trust",
    "hermes plugins trust .",
    "hermes config set a b",
    "hermes setup",
    "at now <<< 'hermes call --yes x'",
    "systemd-run --user hermes call --yes x",
    "ssh localhost hermes call --yes x",
    "tmux new -d 'hermes call --yes x'",
    "tmux send-keys -t 0 'hermes approvals approve next' Enter",
    "su - $USER -c 'hermes call --yes x'",
)
ORDINARY = (
    "cat /srv/any/thing/results/a.json",
    "cat /srv/any/thing/config.yaml",
    "ls /srv/any/thing",
    "echo x > /srv/any/thing/scratch/notes.md",
    "mkdir -p /srv/any/thing/scratch/a/b",
    "echo x > /srv/any/thing/skills/x/SKILL.md",
    "echo x > /srv/any/thing/memories/a.md",
    "hermes tools",
    "hermes tools --json",
    "hermes --version",
    "hermes doctor",
    "hermes lock check",
    "hermes lock diff",
    "hermes why terminal",
    "hermes describe terminal",
    "hermes search web",
    "hermes config show",
    "hermes config get a",
    "hermes approvals list",
    "hermes approvals pending",
    "hermes policy check",
    "hermes plugin check .",
    "hermes plugin new x",
    "hermes --help",
    "hermes call --help",
    "python -m hermes_core --version",
    "python3 -c 'print(1)'",
    "env | grep HERMES",
    "echo $HERMES_HOME",
    "ulimit -a",
    "ulimit -n 4096",
    "prlimit",
    "env -i bash -c 'echo hi'",
    "env -i ls",
    "cat hermes.lock",
    "git add hermes.lock",
    "git diff hermes.lock",
    "grep -rn hermes_core src",
    "rg 'from hermes_core import' .",
    "pip install hermes-core",
    "python -m pytest packages/hermes-core",
    "mv a.txt /srv/b.txt",
    "touch /tmp/x",
    "echo 'hermes call --yes' > notes.md",
    "git commit -m 'from hermes_core import Hermes'",
)


@pytest.mark.parametrize("command", IN_THE_HOME)
def test_a_command_that_reaches_into_the_home_is_asked_about(command: str) -> None:
    assert judge(command, cwd="/work/project", home=HOME).severity != "allow"


@pytest.mark.parametrize("command", ORDERS)
def test_an_order_that_would_widen_the_agents_authority_is_asked_about(command: str) -> None:
    assert judge(command, cwd="/work/project", home=HOME).severity != "allow"


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_commands_are_not(command: str) -> None:
    verdict = judge(command, cwd="/work/project", home=HOME)
    assert verdict.severity == "allow", verdict.findings


# -- the home, by what it is -----------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "srv" / "thing"
    (made / "plugins").mkdir(parents=True)
    (made / "trusted-plugins.json").write_text("{}")
    return made


def write(path: Path | str, place: Path) -> str:
    policy = PathPolicy(hermes_home=str(place))
    return judge_path("write", path, home=HOME, policy=policy).severity


def test_a_home_is_protected_wherever_a_caller_says_it_is(place: Path) -> None:
    assert write(place / "anything", place) == "ask"
    assert write(place, place) == "ask"
    assert write(place / "scratch" / "x", place) == "allow"
    assert write(place / "plugins" / "scratch" / "x", place) == "ask"
    guard = Guard(paths=PathPolicy(hermes_home=str(place)))
    assert guard.judge(f"echo x > {place}/anything", home=HOME).severity == "ask"
    assert guard.judge(f"mv {place.parent} /tmp/gone", home=HOME).severity == "ask"


def test_a_link_to_the_home_or_above_it_leads_there(place: Path, tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(place)
    (tmp_path / "above").symlink_to(place.parent)
    assert write(tmp_path / "home" / "x", place) == "ask"
    assert write(tmp_path / "above" / "thing" / "x", place) == "ask"
    assert write(tmp_path / "above" / "other" / "x", place) == "allow"


@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize(
    "spelling", ["{above}/th?ng/x", "{above}/*/plugins/x", "{above}/*ing/pl*/x", "/proc/self/root{above}/thing/x"]
)
def test_a_home_is_protected_under_names_that_a_shell_looks_for(
    place: Path, tmp_path: Path, spelling: str, is_link: bool
) -> None:
    home = tmp_path / "home" if is_link else place
    if is_link:
        home.symlink_to(place)
    path = spelling.format(above=place.parent)
    assert write(path, home) == "ask"
    assert write(path.replace("th", "oth").replace("*", "other"), home) == "allow"
    guard = Guard(paths=PathPolicy(hermes_home=str(home)))
    assert guard.judge(f"cd {os.path.dirname(path)} && echo x > x", home=HOME).severity == "ask"


def test_a_home_that_is_a_link_is_protected_under_both_names(place: Path, tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(place)
    assert write(tmp_path / "home" / "x", tmp_path / "home") == "ask"
    assert write(place / "x", tmp_path / "home") == "ask"
    guard = Guard(paths=PathPolicy(hermes_home=str(tmp_path / "home")))
    assert guard.judge(f"mv {place.parent} /tmp/gone", home=HOME).severity == "ask"


def test_a_link_on_the_way_to_the_home_is_part_of_it(place: Path, tmp_path: Path) -> None:
    (tmp_path / "second").symlink_to(place.parent)
    (tmp_path / "first").symlink_to("second")
    (tmp_path / "folder").symlink_to(tmp_path)
    home = tmp_path / "first" / "thing"
    for path in ("first", "second", "./x/../first", "folder/second"):
        assert write(f"{tmp_path}/{path}", home) == "ask", path
    for path in ("folder", "third"):
        assert write(f"{tmp_path}/{path}", home) == "allow", path
    guard = Guard(paths=PathPolicy(hermes_home=str(home)))
    for command in (
        "ln -sfn /tmp {first}",
        "rm {first}",
        "mv {first} x",
        "python3 -c 'import os; os.unlink(\"{first}\")'",
    ):
        assert guard.judge(command.format(first=tmp_path / "first"), home=HOME).severity == "ask", command


def test_the_content_of_a_folder_may_go_over_the_home(place: Path) -> None:
    guard = Guard(paths=PathPolicy(hermes_home=str(place)))
    for command in ("cp -rT /tmp/x {}", "cp -a /tmp/x/. {}", "rsync -a /tmp/x/ {}/"):
        assert guard.judge(command.format(place.parent), home=HOME).severity == "ask", command
        assert guard.judge(command.format(place.parent / "other"), home=HOME).severity == "allow", command


def test_a_hard_link_to_a_file_of_the_home_is_that_file(place: Path, tmp_path: Path) -> None:
    for name in ("trusted-plugins.json", "plugins/x.py", "anything"):
        (place / name).write_text("")
        link = tmp_path / name.replace("/", "-")
        os.link(place / name, link)
        assert write(link, place) == "ask", name
    (tmp_path / "one").write_text("")
    os.link(tmp_path / "one", tmp_path / "two")
    assert write(tmp_path / "two", place) == "allow"


def test_a_glob_may_reach_into_the_home() -> None:
    assert judge_path("write", "/srv/any/thi*/config.yaml", home=HOME).severity == "ask"
    assert judge_path("write", "/srv/any/oth*/config.yaml", home=HOME).severity == "allow"
