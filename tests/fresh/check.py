"""Install as the README says, with the pip that comes with Python, and call every tool through the `hermes` command.

Run it with `nox -s fresh`, or `python -m tests.fresh.check`. It needs the standard library alone, and leaves nothing.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.fresh.calls import CALLS, COMMANDS, SITE, Call, Command, uncovered

ROOT = Path(__file__).parents[2]
_KEPT = re.compile(r"(PIP_|SSL_CERT|REQUESTS_CA|LANG$|LC_|TERM$|TMPDIR$|CI$|(https?|no)_proxy$)", re.IGNORECASE)
"""The variables that pip needs to reach its index; nothing else of the caller's environment is passed on."""
_INSTALL_SECONDS = 600
_CALL_SECONDS = 120


def first_block(readme: str) -> str:
    """Return the first shell block of a README."""
    found = re.search(r"^```sh\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    if found is None:
        raise SystemExit("README.md has no shell block")
    return found[1]


def copy_checkout(target: Path) -> None:
    """Copy what git knows or would add, as it is in the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name, follow_symlinks=False)


def oldest_python() -> str:
    """Return the oldest Python 3.11 on the path that can make environments; else whatever `python3` is."""
    found: dict[tuple[int, ...], str] = {}
    probe = "import ensurepip, sys; print(*sys.version_info[:3])"
    for folder in os.get_exec_path():
        for name in ("python3.11", "python3"):
            program = os.path.join(folder, name)
            if os.access(program, os.X_OK):
                done = subprocess.run([program, "-c", probe], capture_output=True, text=True, check=False)
                if done.returncode == 0:
                    found.setdefault(tuple(map(int, done.stdout.split())), program)
    supported = {version: program for version, program in found.items() if version >= (3, 11)}
    return supported[min(supported)] if supported else "python3"


class Installation:
    """A fresh installation in a temporary directory."""

    def __init__(self, folder: Path) -> None:
        self.checkout, self.work = folder / "checkout", folder / "work"
        programs, home = folder / "programs", folder / "home"
        for each in (self.checkout, self.work, programs, home):
            each.mkdir()
        (programs / "python3").symlink_to(Path(shutil.which(oldest_python()) or "python3").absolute())
        user = Path.home()
        self.environ = {
            **{name: value for name, value in os.environ.items() if _KEPT.match(name)},
            "PATH": os.pathsep.join([str(self.checkout / ".venv/bin"), str(programs), os.environ["PATH"]]),
            "HOME": str(home),
        }
        self.environ.setdefault("PIP_CACHE_DIR", str(user / ".cache/pip"))
        for config in (user / ".config/pip/pip.conf", user / ".pip/pip.conf"):
            if config.is_file():
                self.environ.setdefault("PIP_CONFIG_FILE", str(config))

    def install(self) -> None:
        """Run the first block of the README in a copy of the checkout."""
        copy_checkout(self.checkout)
        block = first_block((self.checkout / "README.md").read_text(encoding="utf-8"))
        print(block, end="", flush=True)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=self.checkout,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_INSTALL_SECONDS,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{done.stdout}\nthe README's first block ends with {done.returncode}")

    def run(self, line: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a line of shell in the working directory."""
        return subprocess.run(
            ["bash", "-c", line],
            cwd=self.work,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_CALL_SECONDS,
            check=False,
        )

    def read(self, line: str) -> Any:
        """Return the JSON that a command prints."""
        done = self.run(line)
        if done.returncode or done.stderr:
            raise SystemExit(f"{line}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def declared_families(self) -> set[str]:
        """Return the plugins that the packages of the checkout declare."""
        projects = (tomllib.loads(file.read_text("utf-8")) for file in self.checkout.glob("packages/*/pyproject.toml"))
        return {name for each in projects for name in each["project"].get("entry-points", {}).get("hermes.plugins", {})}


@contextmanager
def loopback_site() -> Iterator[str]:
    """Serve the site on this machine, and give its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = SITE.get(self.path.partition("?")[0], ("text/plain", b""))
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def problem_of_call(installation: Installation, name: str, call: Call, site: str) -> str:
    """Call a tool; return what is wrong with the answer, or nothing."""
    args = json.dumps(call.args).replace("{site}", site)
    done = installation.run(f"hermes call {name} {shlex.quote(args)}")
    try:
        fits = done.returncode == call.code and call.check(json.loads(done.stdout))
    except (ValueError, LookupError, TypeError, AttributeError):
        fits = False
    answer = f"exit code {done.returncode}: {done.stdout[:1000]}{done.stderr[-1000:]}"
    return "" if fits else f"hermes call {name} {args}: unexpected answer, {answer}"


def problem_of_command(installation: Installation, command: Command, site: str) -> str:
    """Run a command; return what is wrong with what it prints, or nothing."""
    done = installation.run(command.line.replace("{site}", site))
    fits = done.returncode == command.code and command.prints in done.stdout
    return "" if fits else f"{command.line}: exit code {done.returncode}: {done.stdout[:1000]}{done.stderr[-1000:]}"


def check(installation: Installation, site: str) -> Iterator[str]:
    """Give every problem of a fresh installation."""
    checked = installation.run("pip check")
    if checked.returncode:
        yield f"pip check: {checked.stdout}{checked.stderr}"
    home = Path(installation.environ["HOME"]) / ".hermes"
    home.mkdir(exist_ok=True)
    settings = {"security": {"allow_private_urls": True}, "web": {"searxng_url": site, "search_backend": "searxng"}}
    (home / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    plugins = installation.read("hermes plugins --json")["plugins"]
    yield from (f"plugin {each['name']}: {each['problems']}" for each in plugins if each["status"] != "loaded")
    families = [each["name"] for each in plugins]
    yield from (f"the family {name} is not installed" for name in installation.declared_families() - set(families))
    tools = installation.read("hermes tools --all --json")["tools"]
    yield from (f"{each['name']} is not available: {each['reason']}" for each in tools if not each["available"])
    names = [each["name"] for each in tools]
    yield from uncovered(names, families)
    yield from (f"the tool {name} is not installed, or its entry in CALLS is stale" for name in CALLS.keys() - names)
    for name, calls in CALLS.items():
        yield from (problem_of_call(installation, name, call, site) for call in calls)
    for commands in COMMANDS.values():
        yield from (problem_of_command(installation, command, site) for command in commands)


def main() -> int:
    """Install, check, and return the exit code."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hermes-fresh-") as folder, loopback_site() as site:
        installation = Installation(Path(folder).resolve())
        installation.install()
        installed = time.monotonic()
        print(installation.run("python --version && pip --version").stdout, end="", flush=True)
        problems = [problem for problem in check(installation, site) if problem]
    for problem in problems:
        print(f"FAIL {problem}")
    calls = sum(map(len, CALLS.values())) + sum(map(len, COMMANDS.values()))
    took = f"{installed - began:.0f} s to install, {time.monotonic() - installed:.0f} s to call"
    print(f"{len(CALLS)} tools, {calls} calls and commands, {len(problems)} problems; {took}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
