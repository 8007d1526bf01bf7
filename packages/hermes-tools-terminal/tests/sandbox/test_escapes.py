"""Tries to get out of a sandbox, by what commands could try."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import SECRET, SECRETS, Build, Driven, as_user


@pytest.fixture
def stranger(user: int) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the same user outside."""
    process = subprocess.Popen([*as_user(user), "sleep", "60"], env={"OWNER_TOKEN": SECRET}, cwd="/")
    yield process
    process.kill()
    process.wait()


def test_nothing_outside_can_be_written(box: Driven) -> None:
    box.says(
        "for f in /etc/hermes-x /usr/hermes-x /hermes-x /var/hermes-x /sys/x ~/new ~/.hermes/new; do echo x >$f; done; "
        "echo evil >>~/.bashrc; echo evil >>/etc/passwd; rm -f ~/notes.txt; mv ~/notes.txt ~/other; mkdir ~/folder; "
        "ln -s /etc ~/link; truncate -s 0 ~/notes.txt; ln ~/notes.txt ~/hard"
    )
    for name in ("/etc/hermes-x", "/usr/hermes-x", "/hermes-x", "/var/hermes-x"):
        assert not os.path.exists(name)
    assert (box.home / ".bashrc").read_text() == "# mine\n"
    assert (box.home / "notes.txt").read_text() == "notes\n"
    assert {path.name for path in box.home.iterdir()}.isdisjoint({"new", "other", "folder", "link", "hard"})
    assert not (box.home / ".hermes" / "new").exists()
    assert "evil" not in Path("/etc/passwd").read_text()


def test_what_is_needed_can_be_read_and_written(box: Driven) -> None:
    said = box.says(
        "cat ~/notes.txt ~/.hermes/skills/SKILL.md .env; echo made >made; echo t >$TMPDIR/t && cat $TMPDIR/t"
    )
    assert said == "notes\na skill\nPROJECT=1\nt\n"
    assert (box.workspace / "made").read_text() == "made\n"


def test_no_secret_can_be_read(box: Driven) -> None:
    paths = " ".join(f"~/{name}" for name in SECRETS)
    links = "; ".join(f"ln -s ~/{name} link{number}" for number, name in enumerate(SECRETS))
    hard = "; ".join(f"ln ~/{name} hard{number} 2>/dev/null" for number, name in enumerate(SECRETS))
    said = box.says(
        f"cat {paths} 2>/dev/null; {links}; {hard}; cat link* hard* 2>/dev/null; cp -r ~ copy 2>/dev/null; "
        f"cd ~/.ssh 2>/dev/null && cat id_rsa; for p in self 1 2 $PPID $$; do cat /proc/$p/root$HOME/.ssh/id_rsa "
        f"/proc/$p/root$HOME/.netrc /proc/$p/cwd/../home/.netrc; done 2>/dev/null; "
        f"tar c ~ 2>/dev/null; grep -rs {SECRET} copy .; :"
    )
    assert SECRET not in said
    assert not any(
        SECRET in path.read_text(errors="replace")
        for path in box.workspace.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


def test_the_machines_own_secrets_cannot_be_read(box: Driven) -> None:
    said = box.says(
        "head -c 5 /etc/shadow; head -c 5 /etc/gshadow; ls /etc/ssl/private; cat /etc/ssh/ssh_host_*_key; :"
    )
    assert "root" not in said.replace("/root", "")
    assert "PRIVATE" not in said


def test_the_owners_variables_are_out_of_sight(box: Driven, stranger: subprocess.Popen[bytes]) -> None:
    said = box.says(
        f"env; cat /proc/*/environ /proc/*/task/*/environ 2>/dev/null | tr '\\0' '\\n'; "
        f"cat /proc/{box.hello['pid']}/environ /proc/{stranger.pid}/environ 2>/dev/null; "
        f"for t in /proc/{box.hello['pid']}/task/*; do head -c 100 $t/mem; ls -l $t/fd/ $t/cwd/; done "
        "2>/dev/null; :"
    )
    assert SECRET not in said


def test_processes_outside_cannot_be_signalled_or_traced(box: Driven, stranger: subprocess.Popen[bytes]) -> None:
    for target in (stranger.pid, box.process.pid):
        box.says(f"kill -9 {target}; kill -STOP {target}; kill -9 -{target}")
    said = box.python(
        "import ctypes, os, signal\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"pid = {stranger.pid}\n"
        "print('attach', libc.ptrace(16, pid, None, None), 'seize', libc.ptrace(0x4206, pid, None, None))\n"
        "try: signal.pidfd_send_signal(os.pidfd_open(pid), 9); print('pidfd 0')\n"
        "except OSError as error: print('pidfd', -1)\n"
        "buffer = ctypes.create_string_buffer(8)\n"
        "print('limits', libc.prlimit(pid, 7, buffer.raw * 2, None))\n"
    )
    assert said.split() == ["attach", "-1", "seize", "-1", "pidfd", "-1", "limits", "-1"]
    assert stranger.poll() is None
    assert box.says("echo alive") == "alive\n"


def test_there_is_no_network(box: Driven) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        tcp.settimeout(0)
        box.python(
            "import socket\n"
            f"for kind, port in ((1, {tcp.getsockname()[1]}), (2, {udp.getsockname()[1]})):\n"
            "    try:\n"
            "        s = socket.socket(2, kind); s.settimeout(1); s.connect(('127.0.0.1', port)); s.send(b'out')\n"
            "    except OSError as error: print(error)\n"
        )
        with pytest.raises(BlockingIOError):
            tcp.accept()
        with pytest.raises(BlockingIOError):
            udp.recv(9)


@pytest.mark.usefixtures("new_sockets")
def test_sockets_of_other_programs_cannot_be_talked_to(box: Driven, build: Build, base: Path, user: int) -> None:
    names = [f"\0hermes-{os.getpid()}", str(base / "home" / "agent.sock")]
    if os.geteuid() == 0:
        names.append(f"/run/hermes-{os.getpid()}.sock")
    servers = []
    try:
        for name in names:
            server = socket.socket(socket.AF_UNIX)
            server.bind(name)
            server.listen()
            server.setblocking(False)
            servers.append(server)
            if name.startswith("/"):
                os.chmod(name, 0o777)
        later = build()  # the socket was there before this one
        said = later.python(
            f"import socket\nfor name in {names!r}:\n"
            "    try: s = socket.socket(1); s.connect(name); s.send(b'x'); print('reached', name)\n"
            "    except OSError: print('no')\n"
        )
        assert said.split() == ["no"] * len(names)
    finally:
        for server, name in zip(servers, names, strict=False):
            server.close()
            if name.startswith("/"):
                os.unlink(name)


def test_mounts_namespaces_and_keys_are_out_of_reach(box: Driven) -> None:
    said = box.says(
        "mount --bind / $TMPDIR && echo got; mount -t tmpfs x $TMPDIR && echo got; umount ~/.ssh && echo got; "
        "umount -l /run && echo got; mount -o remount,rw / && echo got; mount -o remount,rw /proc && echo got; "
        "unshare -U true && echo got; unshare -Urm true && echo got; unshare -n true && echo got; "
        "nsenter -t 1 -m true && echo got; chroot / true && echo got; mknod $TMPDIR/sda b 8 0 && echo got; "
        "cat /proc/keys; echo end"
    )
    assert "got" not in said
    calls = box.python(
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "for name, *args in (('keyctl', 250, 0, -3, 0), ('request_key', 249, b'user', b'x', 0, -3),\n"
        "        ('bpf', 321, 0, 0, 0), ('handle', 304, -100, bytes(20), 0),\n"
        "        ('io_uring', 425, 1, bytes(200)), ('clone3', 435, bytes(88), 88), ('userfaultfd', 323, 0),\n"
        "        ('perf', 298, bytes(120), 0, -1, -1, 0), ('fsopen', 430, b'proc', 0),\n"
        "        ('open_tree', 428, -100, b'/', 1), ('vsock', 41, 40, 1, 0), ('packet', 41, 17, 3, 0),\n"
        "        ('alg', 41, 38, 5, 0), ('x32', 0x40000000 | 39)):\n"
        "    if libc.syscall(*args) >= 0: print(name, 'works')\n"
        "print('end')\n"
    )
    if os.uname().machine == "x86_64":
        assert calls == "end\n"


def test_settings_of_the_kernel_cannot_be_changed(box: Driven) -> None:
    # Opening to append changes nothing, even where it is possible.
    said = box.says(
        "for f in /proc/sys/kernel/hostname /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sysrq-trigger "
        "/sys/kernel/mm/ksm/run; do [ ! -e $f ] || { ( : >>$f ) 2>/dev/null && echo open $f; }; done; echo end"
    )
    assert said == "end\n"


def test_nobody_types_into_a_terminal(box: Driven) -> None:
    said = box.python(
        "import fcntl, os, pty, termios\n"
        "try: ours, theirs = os.openpty()\n"
        "except OSError: print('no terminal'); raise SystemExit\n"
        "for number in (termios.TIOCSTI, 0x541C):\n"
        "    try: fcntl.ioctl(theirs, number, b'x'); print('typed')\n"
        "    except OSError as error: print(error.errno)\n"
        "try: os.open('/dev/tty', os.O_RDWR); print('has one')\n"
        "except OSError: pass\n"
    )
    assert said in ("1\n1\n", "no terminal\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program that is root's")
def test_programs_of_root_give_nothing(box: Driven) -> None:
    program = box.base / "root-id"
    shutil.copy("/usr/bin/id", program)
    os.chmod(program, 0o4755)
    assert box.says(f"{program} -u").strip() == str(box.user)
    status = box.says("cat /proc/self/status")
    assert "NoNewPrivs:\t1" in status
    assert "CapPrm:\t0000000000000000" in status
    assert box.user or "CapBnd:\t0000000000000000" in status


def test_no_program_that_lends_its_owners_rights_can_be_left_behind(box: Driven) -> None:
    box.says("cp /bin/true one; chmod u+s one; chmod 6755 one; install -m 4755 /bin/true two")
    box.python(
        "import os\nos.umask(0)\n"
        "for make in (lambda: os.open('three', os.O_CREAT | os.O_WRONLY, 0o4755), lambda: os.mknod('four', 0o104755),\n"
        "        lambda: os.chmod('one', 0o2755)):\n"
        "    try: make()\n"
        "    except OSError: pass\n"
    )
    for path in box.workspace.iterdir():
        assert not path.stat().st_mode & 0o6000, path


def test_a_library_that_is_loaded_first_acts_inside_only(box: Driven) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no compiler (Debian package gcc)")
    source = box.workspace / "evil.c"
    source.write_text(
        "#include <stdio.h>\n__attribute__((constructor)) static void go(void) {"
        f' FILE *f = fopen("{box.home}/pwned", "w"); if (f) fclose(f); }}\n'
    )
    library = box.workspace / "evil.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    os.chmod(library, 0o755)
    assert box.says("echo ran", env={"LD_PRELOAD": str(library)}) == "ran\n"
    assert not (box.home / "pwned").exists()


def test_links_lead_nowhere_new(box: Driven) -> None:
    box.says("ln -s / root; ln -s ~ home; echo x >root/etc/hermes-x; echo x >home/new; echo x >>home/.bashrc")
    assert not os.path.exists("/etc/hermes-x")
    assert not (box.home / "new").exists()
    assert (box.home / ".bashrc").read_text() == "# mine\n"


def test_what_is_hidden_in_the_workspace_cannot_be_moved_away(build: Build, base: Path, engine: str, user: int) -> None:
    folder = base / "work" / "inner"
    (folder / "vault").mkdir(parents=True)
    (folder / "vault" / "key").write_text(SECRET)
    for path in (folder, folder / "vault", folder / "vault" / "key"):
        os.chown(path, user, user)
    box = build(hidden=[str(folder / "vault")])
    if engine == "landlock":
        assert "cannot hide" in box.hello["error"]
        return
    assert SECRET not in box.says("cat inner/vault/key; mv inner other; mkdir inner; cat other/vault/key; :")
    answer = box.run("cat other/vault/key; cat inner/vault/key")
    assert "was moved or replaced" in answer.get("error", "") or SECRET not in answer["output"]


def test_what_is_hidden_stays_so_inside_of_what_is_shown(build: Build, base: Path) -> None:
    vault = base / "home" / ".hermes" / "skills" / "vault"
    vault.mkdir()
    (vault / "key").write_text(SECRET)
    (vault / "key").chmod(0o644)
    box = build(hidden=[str(vault)])
    assert SECRET not in box.says("cat ~/.hermes/skills/vault/key; cat ~/.hermes/skills/vault/*; :")
    assert box.says("cat ~/.hermes/skills/SKILL.md") == "a skill\n"


def test_the_network_is_there_when_it_was_asked_for(build: Build) -> None:
    box = build(network=True)
    assert any("network" in leak for leak in box.hello["leaks"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)

        def answer() -> None:
            server.accept()[0].close()

        thread = threading.Thread(target=answer)
        thread.start()
        said = box.says(f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]} && echo reached")
        thread.join()
    assert said == "reached\n"


def test_a_folder_can_be_opened(build: Build, base: Path, user: int) -> None:
    (base / "more").mkdir()
    os.chown(base / "more", user, user)
    box = build(writable=[str(base / "more")])
    assert box.says(f"echo x >{base}/more/file; cat {base}/more/file") == "x\n"
    assert any(str(base / "more") in leak for leak in box.hello["leaks"])
