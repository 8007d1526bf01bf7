"""What a container may do and see: the engine's word is not enough, so each limit is looked at from inside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hermes_tools_terminal.environments.base import TerminalEnvironmentError
from hermes_tools_terminal.environments.docker import environment as docker

Engine = Any
Opens = Callable[..., docker.DockerEnvironment]
Talks = Callable[[docker.DockerEnvironment], Any]

_LIMITS = """
grep -E 'CapEff|NoNewPrivs' /proc/self/status | tr -s '\\t' ' '
cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null ||
  cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/memory.max
cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us 2>/dev/null || cut -d ' ' -f 1 /sys/fs/cgroup/cpu.max
"""


@pytest.mark.parametrize(("as_user", "powers"), [(False, "00000000000000cb"), (True, "0" * 16)])
def test_limits_hold_inside(engine: Engine, opened: Opens, as_user: bool, powers: str) -> None:
    limits = {"pids": 77, "memory": 128, "cpu": 0.5}
    place = opened(engine.settings(container=limits, run_as_host_user=as_user))
    assert place.run(_LIMITS).decode().splitlines() == [
        f"CapEff: {powers}",
        "NoNewPrivs: 1",
        "77",
        str(128 * 1024 * 1024),
        "50000",
    ]


def test_scratch_folders_are_in_memory_and_have_a_size(engine: Engine, opened: Opens) -> None:
    place = opened(engine.settings())
    mounts = place.run("cat /proc/mounts").decode().splitlines()
    found = {words[1]: words for line in mounts if (words := line.split())[0] == "tmpfs"}
    assert "size=524288k" in found["/tmp"][3]
    assert "noexec" not in found["/tmp"][3]
    assert "noexec" in found["/var/tmp"][3]
    assert "noexec" in found["/run"][3]
    assert all("nosuid" in found[path][3] for path in ("/tmp", "/var/tmp", "/run"))


def test_without_a_network_there_is_only_the_loopback(engine: Engine, opened: Opens) -> None:
    devices = opened(engine.settings()).run("cat /proc/net/dev").decode().splitlines()[2:]
    assert [line.split(":")[0].strip() for line in devices] == ["lo"]


def test_a_container_that_is_full_is_freed_and_used_again(engine: Engine, opened: Opens, talk: Talks) -> None:
    place = opened(engine.settings(container={"pids": 40}))
    say = talk(place)
    bomb = "i=0; while [ $i -lt 100 ]; do (sleep 300 &) 2>/dev/null; i=$((i+1)); done; while :; do :; done"
    told = say(bomb, timeout=3)
    assert told.status in (2, 124)
    say.shell.close()
    assert place.run("ps -o args | grep -c '[s]leep 300' || :") == b"0\n"
    assert say("echo free").output == "free\n"


def test_files_stay_when_the_container_goes(engine: Engine, opened: Opens, home: Path, tmp_path: Path) -> None:
    settings = engine.settings(sandbox_dir=str(tmp_path / "kept"))
    place = opened(settings)
    place.run("printf work >/workspace/file; printf home >/root/.file")
    kept = tmp_path / "kept" / "docker" / "task"
    assert ((kept / "workspace" / "file").read_bytes(), (kept / "home" / ".file").read_bytes()) == (b"work", b"home")
    engine("rm", "--force", place.name)
    assert opened(settings).run("cat /root/.file") == b"home"


def test_the_folder_of_this_process_can_be_the_workspace(
    engine: Engine, opened: Opens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "a, b"
    here.mkdir()
    (here / "file").write_text("mine")
    monkeypatch.chdir(here)
    place = opened(engine.settings(mount_cwd=True))
    assert (place.folder, place.run("cat /workspace/file")) == ("/workspace", b"mine")
    assert list(place.leaks()) == ["folder:/workspace"]
    assert place.isolated


def test_volumes_and_further_arguments_reach_the_engine(engine: Engine, opened: Opens, tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "file").write_text("shared")
    place = opened(
        engine.settings(volumes=[f"{tmp_path}/shared:/shared:ro"], extra_args=["--hostname=box", "--name=mine"])
    )
    assert place.run("cat /shared/file; hostname") == b"sharedbox\n"
    with pytest.raises(TerminalEnvironmentError, match="Read-only"):
        place.run(": >/shared/new")


def test_only_declared_variables_get_in_and_nobody_else_sees_them(
    engine: Engine, opened: Opens, talk: Talks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "declared-5e1f")
    monkeypatch.setenv("UNDECLARED_TOKEN", "undeclared-77aa")
    monkeypatch.setenv("OPENAI_API_KEY", "never-91cc")
    place = opened(
        engine.settings(env={"FIXED": "it's $fixed", "PATH": "/bin:/odd"}, forward_env=["MY_TOKEN", "OPENAI_API_KEY"])
    )
    say = talk(place)
    assert say("echo $MY_TOKEN; echo $FIXED; echo $PATH").output == "declared-5e1f\nit's $fixed\n/bin:/odd\n"
    inside = say("env").output
    assert "undeclared-77aa" not in inside
    assert "never-91cc" not in inside
    assert "HERMES_SET" not in inside
    assert "declared-5e1f" not in engine("inspect", place.name)
    assert "declared-5e1f" not in _command_lines()


def _command_lines() -> str:
    """What `ps` shows."""
    lines = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            lines.append(Path("/proc", pid, "cmdline").read_text(errors="replace"))
        except OSError:
            continue
    assert any("exec" in line for line in lines)
    return "\n".join(lines)


def test_variables_of_one_process_reach_only_that(only_docker: Engine, opened: Opens) -> None:
    place = opened(only_docker.settings())
    started = place.start(
        ["sh", "-c", "echo $ONE:$LD_PRELOAD:$DOCKER_HOST"], env={"ONE": "1", "LD_PRELOAD": "", "DOCKER_HOST": "x"}
    )
    assert started.child.stdout is not None
    assert started.child.stdout.read() == b"1::x\n"
    assert started.child.wait(20) == 0
    for pipe in (started.child.stdin, started.child.stdout):
        assert pipe is not None
        pipe.close()
