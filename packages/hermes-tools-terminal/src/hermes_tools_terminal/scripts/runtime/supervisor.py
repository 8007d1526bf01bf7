"""Supervises a script in an environment that only pipes reach: transfers its output and its calls, and ends it.

It exchanges frames. Input frames start with `A` for the answer to a call, or are `S`, a request to end; closed input is
one, too. Output frames start with `R` for the script's directory, `O` or `E` for its output, `C` for a call, `F` for
why there is no script, and `X` for its exit status.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import subprocess
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

GRACE_SECONDS = 1.0
DRAIN_SECONDS = 0.5
_SHORTEST_NAP, _LONGEST_NAP = 0.001, 0.05
_READ_SIZE = 1 << 16


class Supervisor:
    """One script and its directory.

    Args:
        given: The data from the host: `given` for the script's process, and how to start it.
    """

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.folder = new_folder()
        self.calls = os.path.join(self.folder, "calls")
        self.deadline = time.monotonic() + given["seconds"]
        self.ignored: set[str] = set()
        self.asked: dict[str, int] = {}
        self.life = -1
        self.heard = bytearray()
        self.nap = _SHORTEST_NAP
        self.kill_at = 0.0
        self.child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the script."""
        script = self.given["given"]
        script["path"] = os.path.join(self.folder, "script.py")
        with open(script["path"], "w", encoding="utf-8") as file:
            file.write(script["code"])
        os.mkdir(self.calls, 0o700)
        if "folder" in script["line"]:
            script["line"]["folder"] = self.calls
        if self.given["strict"]:
            os.mkdir(os.path.join(self.folder, "work"))
        set_limit(self.given["limit"])
        death, self.life = os.pipe()
        self.child = subprocess.Popen(  # noqa: S603 - the script
            [sys.executable, *self.given["argv"]],
            cwd=os.path.join(self.folder, "work") if self.given["strict"] else None,
            env=self.environ(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=(death,),
        )
        self.hold(death)
        import marshal

        assert self.child.stdin is not None
        try:
            self.child.stdin.write(marshal.dumps(script, 2))
            self.child.stdin.close()
        except BrokenPipeError:
            pass  # it ended immediately, which is reported like any end

    def hold(self, death: int) -> None:
        """Have the kernel kill the script if this process dies first."""
        assert self.child is not None
        try:
            import fcntl

            fcntl.fcntl(death, fcntl.F_SETOWN, -self.child.pid)
            fcntl.fcntl(death, fcntl.F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(death, fcntl.F_SETFL, fcntl.fcntl(death, fcntl.F_GETFL) | os.O_ASYNC)
        except (ImportError, AttributeError, OSError):
            pass  # not Linux: the supervisor itself has to end it
        finally:
            os.close(death)

    def environ(self) -> dict[str, str]:
        """Return the script's variables: those of the environment, without those that change how Python starts."""
        kept = {name: value for name, value in os.environ.items() if name == "PYTHONPATH" or name[:6] != "PYTHON"}
        kept["HERMES_SCRIPT"] = self.given["mark"]
        if self.given["strict"]:
            kept.pop("PYTHONPATH", None)
        return kept

    def follow(self) -> int:
        """Transfer everything until the script ends; return its exit status."""
        child = self.child
        assert child is not None
        assert child.stdout is not None
        assert child.stderr is not None
        pipes = {child.stdout.fileno(): b"O", child.stderr.fileno(): b"E"}
        listening = True
        while child.poll() is None:
            waited = [*pipes, 0] if listening else [*pipes]
            ready = select.select(waited, [], [], self.nap)[0]
            for pipe in ready:
                if pipe:
                    self.pass_on(pipe, pipes)
                elif not self.listen():
                    self.ask_to_end()
                    listening = False
            self.nap = _SHORTEST_NAP if self.look_for_calls() or ready else min(_LONGEST_NAP, self.nap * 1.2)
            self.end_when_due()
        self.end_all()
        until = time.monotonic() + DRAIN_SECONDS
        while pipes and time.monotonic() < until:
            for pipe in select.select([*pipes], [], [], 0.02)[0]:
                self.pass_on(pipe, pipes)
        return child.returncode

    def pass_on(self, pipe: int, pipes: dict[int, bytes]) -> None:
        """Send some output of the script."""
        data = os.read(pipe, _READ_SIZE)
        if data:
            say(pipes[pipe], data)
        else:
            del pipes[pipe]

    def listen(self) -> bool:
        """Handle frames from the host; return False when its side is closed."""
        try:
            data = os.read(0, _READ_SIZE)
        except OSError:
            data = b""
        self.heard += data
        while len(self.heard) >= 4 and len(self.heard) >= 4 + int.from_bytes(self.heard[:4], "big"):
            size = int.from_bytes(self.heard[:4], "big")
            frame = bytes(self.heard[4 : 4 + size])
            del self.heard[: 4 + size]
            if frame[:1] == b"S":
                self.ask_to_end()
            else:
                name, _, answer = frame[1:].partition(b"\0")
                self.answer(name, answer)
        return bool(data)

    def answer(self, name: bytes, data: bytes) -> None:
        """Write an answer for the script, atomically."""
        self.asked.pop(os.fsdecode(name), None)
        path = os.path.join(self.calls, "res_" + os.fsdecode(name))
        try:
            with open(path + ".new", "wb") as file:
                file.write(data)
            os.rename(path + ".new", path)
        except OSError as error:
            say(b"E", f"The answer of a tool could not be written: {error}\n".encode())

    def look_for_calls(self) -> bool:
        """Send the waiting calls; return whether there were any."""
        try:
            names = [name for name in os.listdir(self.calls) if name[:4] == "req_" and name[-4:] != ".new"]
        except OSError:
            return False  # the script has removed the directory
        names = sorted(name for name in names if name not in self.ignored)
        names = names[: self.given["at_once"] - len(self.asked)]  # the others wait
        for name in names:
            if sum(self.asked.values()) > 4 * self.given["most"]:
                return True  # the host stores all of them
            request = self.take(os.path.join(self.calls, name))
            if request is None:
                self.ignored.add(name)
            elif len(request) > self.given["most"]:
                self.answer(os.fsencode(name[4:]), b'{"error": "The arguments are too long. Send less at once."}')
            else:
                self.asked[name[4:]] = len(request)
                say(b"C", os.fsencode(name[4:]) + b"\0" + request)
        return bool(names)

    def take(self, path: str) -> bytes | None:
        """Read and remove a file, up to just above the limit; return None when it is not a regular file."""
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    return None
                request = file.read(self.given["most"] + 1)
            os.unlink(path)
            return request
        except OSError:
            return None

    def ask_to_end(self) -> None:
        """Ask the script to end, and kill it soon."""
        if not self.kill_at:
            self.kill_at = time.monotonic() + GRACE_SECONDS
            self.signal(signal.SIGTERM)

    def end_when_due(self) -> None:
        """Kill the script after the grace period, or far after its timeout."""
        now = time.monotonic()
        if now > self.deadline or 0 < self.kill_at < now:
            self.end_all()

    def end_all(self) -> None:
        """Kill the script and everything that it has started."""
        self.signal(signal.SIGKILL)
        for _ in range(5):  # a process may start another one while it is being killed
            found = marked(self.given["mark"], self.given["limit"])
            if not found:
                return
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    continue

    def signal(self, number: int) -> None:
        """Send a signal to the script and its group."""
        assert self.child is not None
        try:
            os.killpg(self.child.pid, number)
        except OSError:
            return

    def leave(self) -> None:
        """Kill the script and remove its directory."""
        if self.child is not None:
            self.end_all()
            for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
                if pipe is not None:
                    close(pipe)
            self.child.wait()
        if self.life >= 0:
            os.close(self.life)
        try:
            import shutil

            shutil.rmtree(self.folder, ignore_errors=True)
        except (ImportError, RecursionError):
            pass  # a minimal Python, or a very deep tree: a C program can
        if os.path.lexists(self.folder):
            subprocess.call(["sh", "-c", 'chmod -R u+rwx "$0"; rm -rf "$0"', self.folder])  # noqa: S603, S607 - ours


def new_folder() -> str:
    """Create a private temporary directory; `tempfile` needs modules that may be missing."""
    error = OSError("no directory for temporary files")
    for parent in (os.environ.get("TMPDIR") or "/tmp", "/tmp", "/var/tmp", os.getcwd()):  # noqa: S108 - made private
        folder = os.path.join(parent, "hermes-" + os.urandom(8).hex())
        try:
            os.mkdir(folder, 0o700)
            return folder
        except OSError as why:
            error = why
    raise error


def set_limit(limit: int) -> None:
    """Mark this process and its descendants by a limit that is never reached: it survives a change of variables."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_RTTIME, (limit, limit))
    except (ImportError, AttributeError, OSError, OverflowError, ValueError):
        return  # not Linux, or there is a lower limit already


def marked(mark: str, limit: int) -> list[int]:
    """Return the other processes that have a script's mark among their variables or limits."""
    try:
        found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    variable = ("HERMES_SCRIPT=" + mark).encode()
    return [
        pid
        for pid in found
        if pid != os.getpid()
        and (variable in words(pid, "environ", b"\0") or str(limit).encode() in words(pid, "limits", None))
    ]


def words(pid: int, name: str, between: bytes | None) -> list[bytes]:
    """Return the split content of a process's file; nothing when it is gone."""
    try:
        with open("/proc/" + str(pid) + "/" + name, "rb") as file:
            return file.read().split(between)
    except OSError:
        return []


def close(pipe: IO[bytes]) -> None:
    """Close a pipe, even with unwritten data."""
    try:
        pipe.close()
    except OSError:
        return


def say(kind: bytes, data: bytes) -> None:
    """Send a frame to the host."""
    frame = memoryview((len(data) + 1).to_bytes(4, "big") + kind + data)
    while frame:
        frame = frame[os.write(1, frame) :]


def supervise(given: dict[str, Any]) -> None:
    """Run a script from start to end."""
    os.write(1, given["hello"])  # only frames follow
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        supervisor = Supervisor(given)
    except OSError as error:
        say(b"F", f"The script has no directory: {error}".encode())
        return
    say(b"R", os.fsencode(supervisor.folder))
    try:
        supervisor.start()
        said = b"X", str(supervisor.follow())
    except OSError as error:  # a full disk, or a host that is gone
        said = b"F", f"The script could not be supervised: {error}"
    finally:
        supervisor.leave()
    say(said[0], said[1].encode())
