"""A gRPC server on loopback that keeps Modal's protocol and runs what it is asked to run in local processes."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import anyio
import pytest
from pydantic import TypeAdapter

pytest.importorskip("modal", reason="the Modal SDK is missing: pip install modal")

import grpclib
from grpclib.server import Server
from modal_proto import api_pb2, task_command_router_pb2
from modal_proto.api_grpc import ModalClientBase
from modal_proto.task_command_router_grpc import TaskCommandRouterBase

from hermes_tools_terminal.environments.cloud import modal
from hermes_tools_terminal.environments.cloud.modal import ModalEnvironment
from hermes_tools_terminal.environments.local import spawn
from hermes_tools_terminal.settings import TerminalSettings
from hermes_tools_terminal.shell.shell import Shell

# Messages and services are made at import time by the SDK's generated code, of which nothing is known before.
api: Any = api_pb2
router: Any = task_command_router_pb2
_SUCCESS = api.GenericResult.GENERIC_STATUS_SUCCESS


class Exec:
    """One process in a sandbox, and all it printed."""

    def __init__(self, argv: list[str], cwd: str, env: dict[str, str], pty: bool) -> None:
        self._changed = threading.Condition()
        self._printed = {1: b"", 2: b""}
        self._open = {1, 2}
        self.written = 0
        self.process: Any
        if pty:
            self.process = spawn(argv, cwd=cwd, env=env, pty=True).child
            self._open.discard(2)
            pipes: list[tuple[int, IO[bytes]]] = [(1, self.process.stdout)]
        else:
            self.process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
            pipes = [(1, self.process.stdout), (2, self.process.stderr)]
        self.threads = [threading.Thread(target=self._collect, args=each) for each in pipes]
        for thread in self.threads:
            thread.start()

    def _collect(self, number: int, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError):  # what a terminal says when nobody has it any more
            while data := os.read(pipe.fileno(), 65536):
                with self._changed:
                    self._printed[number] += data
                    self._changed.notify_all()
        with self._changed:
            self._open.discard(number)
            self._changed.notify_all()
        pipe.close()

    def read(self, number: int, offset: int) -> bytes | None:
        """What was printed behind an offset, when there is something; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._printed[number]) > offset or number not in self._open)
            return self._printed[number][offset:] or None

    def write(self, offset: int, data: bytes, eof: bool) -> None:
        """Give it something to read; what was written already is not written twice."""
        data = data[max(0, self.written - offset) :]
        with contextlib.suppress(OSError, ValueError):
            view = memoryview(data)
            while view:
                view = view[os.write(self.process.stdin.fileno(), view) :]
            if eof:
                self.process.stdin.close()
        self.written += len(data)

    def end(self) -> None:
        """End it with all of its session."""
        subprocess.run(["pkill", "-KILL", "-s", str(self.process.pid)], check=False)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        with contextlib.suppress(OSError):
            self.process.stdin.close()


class ModalServer:
    """Modal's service.

    Attributes:
        sandboxes: The definitions of those that run, by id, in Modal's own words.
        tags: Their tags.
        images: The folders of pictures that were taken, by the image's id.
        started: How many sandboxes were ever created.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="modal-"))
        self.sandboxes: dict[str, Any] = {}
        self.tags: dict[str, dict[str, str]] = {}
        self.images: dict[str, Path] = {}
        self.execs: dict[str, tuple[str, Exec]] = {}
        self.started = 0
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._pool = ThreadPoolExecutor(64)
        self._loop.set_default_executor(self._pool)
        ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(ready,))
        self._thread.start()
        ready.wait()

    def _serve(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = _Server([_service(ModalClientBase, _Api(self)), _service(TaskCommandRouterBase, _Router(self))])
        self._loop.run_until_complete(server.start("127.0.0.1", 0))
        port = server._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
        self.url = f"http://127.0.0.1:{port}"
        ready.set()
        self._loop.run_forever()
        server.close()
        server.hang_up()
        self._loop.run_until_complete(server.wait_closed())
        self._loop.run_until_complete(_settled())
        self._loop.close()

    def home(self, id: str) -> Path:
        """The folder that stands for a sandbox's disk."""
        return self.folder / id

    def create(self, definition: Any, tags: Any) -> str:
        id = f"sb-{uuid.uuid4().hex}"
        picture = self.images.get(definition.image_id)
        if picture is not None:
            shutil.copytree(picture, self.home(id))
        else:
            self.home(id).mkdir()
        self.sandboxes[id] = definition
        self.tags[id] = {tag.tag_name: tag.tag_value for tag in tags}
        self.started += 1
        return id

    def terminate(self, id: str) -> None:
        """End a sandbox with all that runs in it."""
        self.sandboxes.pop(id, None)
        for name, (sandbox, each) in list(self.execs.items()):
            if sandbox == id:
                each.end()
                for thread in each.threads:
                    thread.join(10)
                del self.execs[name]

    def clear(self) -> None:
        """Forget everything."""
        for id in list(self.sandboxes):
            self.terminate(id)
        self.images.clear()
        self.started = 0

    def stop(self) -> None:
        """End it."""
        self.clear()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._pool.shutdown()
        shutil.rmtree(self.folder)


class _Server(Server):
    """A server that ends its connections when it ends."""

    def _protocol_factory(self) -> Any:
        made = super()._protocol_factory()
        self.__dict__.setdefault("connected", []).append(made)
        return made

    def hang_up(self) -> None:
        """End all connections; the SDK's client keeps its own as long as the process lives."""
        for each in self.__dict__.get("connected", []):
            each.connection.close()


async def _settled() -> None:
    """Connections that were closed are gone some turns of the loop later."""
    for _ in range(10):
        await asyncio.sleep(0)


def _service(base: type, handlers: Any) -> Any:
    """A service that has some of a protocol's calls; it says of all others that it has not."""

    def call(name: str) -> Any:
        known = getattr(handlers, name.removesuffix("V2"), None)

        async def serve(self: Any, stream: Any) -> None:
            if known is None:
                raise grpclib.GRPCError(grpclib.Status.UNIMPLEMENTED, name)
            if stream.metadata.get("x-modal-token-secret", "as-secret") != "as-secret":
                raise grpclib.GRPCError(grpclib.Status.UNAUTHENTICATED, "Token validation failed")
            await known(stream)

        return serve

    return type("Service", (base,), {name: call(name) for name in base.__abstractmethods__})()  # type: ignore[attr-defined]


def _pass() -> str:
    """A token that is good for an hour; nobody looks at its signature here."""
    claims = base64.urlsafe_b64encode(json.dumps({"exp": time.time() + 3600}).encode()).decode().rstrip("=")
    return f"e30.{claims}.c2ln"


class _Api:
    """The calls of Modal's own API. Those of the newer kind of sandboxes have the same names with V2 behind them."""

    def __init__(self, server: ModalServer) -> None:
        self._server = server

    def _known(self, id: str) -> Any:
        if id not in self._server.sandboxes:
            raise grpclib.GRPCError(grpclib.Status.NOT_FOUND, f"Sandbox {id} not found")
        return self._server.sandboxes[id]

    async def ClientHello(self, stream: Any) -> None:
        await stream.recv_message()
        await stream.send_message(api.ClientHelloResponse())

    async def AuthTokenGet(self, stream: Any) -> None:
        await stream.recv_message()
        await stream.send_message(api.AuthTokenGetResponse(token=_pass()))

    async def EnvironmentGetOrCreate(self, stream: Any) -> None:
        await stream.recv_message()
        settings = api.EnvironmentSettings(image_builder_version="2025.06", webhook_suffix="")
        metadata = api.EnvironmentMetadata(name="main", settings=settings)
        await stream.send_message(api.EnvironmentGetOrCreateResponse(environment_id="en-1", metadata=metadata))

    async def AppGetOrCreate(self, stream: Any) -> None:
        await stream.recv_message()
        await stream.send_message(api.AppGetOrCreateResponse(app_id="ap-1"))

    async def ImageGetOrCreate(self, stream: Any) -> None:
        await stream.recv_message()
        result = api.GenericResult(status=_SUCCESS)
        await stream.send_message(api.ImageGetOrCreateResponse(image_id="im-base", result=result))

    async def ImageFromId(self, stream: Any) -> None:
        id = (await stream.recv_message()).image_id
        if id not in self._server.images:
            raise grpclib.GRPCError(grpclib.Status.NOT_FOUND, f"Image {id} not found")
        await stream.send_message(api.ImageFromIdResponse(image_id=id))

    async def SandboxCreate(self, stream: Any) -> None:
        request = await stream.recv_message()
        id = self._server.create(request.definition, request.tags)
        await stream.send_message(api.SandboxCreateV2Response(sandbox_id=id, task_id=f"ta-{id}"))

    async def SandboxGetCommandRouterAccess(self, stream: Any) -> None:
        self._known((await stream.recv_message()).sandbox_id)
        await stream.send_message(api.SandboxGetCommandRouterAccessResponse(jwt=_pass(), url=self._server.url))

    async def SandboxGetTaskId(self, stream: Any) -> None:
        id = (await stream.recv_message()).sandbox_id
        self._known(id)
        await stream.send_message(api.SandboxGetTaskIdResponse(task_id=f"ta-{id}"))

    async def SandboxWait(self, stream: Any) -> None:
        id = (await stream.recv_message()).sandbox_id
        status = api.GenericResult.GENERIC_STATUS_TERMINATED if id not in self._server.sandboxes else 0
        await stream.send_message(api.SandboxWaitResponse(result=api.GenericResult(status=status)))

    async def SandboxTerminate(self, stream: Any) -> None:
        id = (await stream.recv_message()).sandbox_id
        await asyncio.to_thread(self._server.terminate, id)
        await stream.send_message(api.SandboxTerminateResponse())

    async def SandboxTagsGet(self, stream: Any) -> None:
        tags = self._server.tags[(await stream.recv_message()).sandbox_id]
        found = [api.SandboxTag(tag_name=name, tag_value=value) for name, value in tags.items()]
        await stream.send_message(api.SandboxTagsGetResponse(tags=found))

    async def SandboxList(self, stream: Any) -> None:
        request = await stream.recv_message()
        wanted = {(tag.tag_name, tag.tag_value) for tag in request.tags}
        found = []
        if not request.before_timestamp:  # one page holds all of them
            found = [id for id in self._server.sandboxes if wanted <= set(self._server.tags[id].items())]
        await stream.send_message(
            api.SandboxListResponse(sandboxes=[api.SandboxInfo(id=id, created_at=1.0) for id in found])
        )


class _Router:
    """The calls that go to the machine where a sandbox is."""

    def __init__(self, server: ModalServer) -> None:
        self._server = server

    def _found(self, request: Any) -> Exec:
        if request.exec_id not in self._server.execs:
            raise grpclib.GRPCError(grpclib.Status.NOT_FOUND, f"Exec {request.exec_id} not found")
        return self._server.execs[request.exec_id][1]

    async def TaskExecStart(self, stream: Any) -> None:
        request = await stream.recv_message()
        id = request.task_id.removeprefix("ta-")
        if id not in self._server.sandboxes:
            raise grpclib.GRPCError(grpclib.Status.NOT_FOUND, f"Task {request.task_id} not found")
        home = str(self._server.home(id))
        env = {"PATH": os.environ["PATH"], "HOME": home}
        for source in request.secret_sources:
            env.update(source.env.contents)
        argv = list(request.command_args)
        made = Exec(argv, request.workdir or home, env, request.HasField("pty_info"))
        self._server.execs[request.exec_id] = (id, made)
        await stream.send_message(router.TaskExecStartResponse())

    async def TaskExecStdioRead(self, stream: Any) -> None:
        request = await stream.recv_message()
        found, offset = self._found(request), request.offset
        number = 1 if request.file_descriptor == router.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDOUT else 2
        while (data := await asyncio.to_thread(found.read, number, offset)) is not None:
            for at in range(0, len(data), 65536):
                await stream.send_message(router.TaskExecStdioReadResponse(data=data[at : at + 65536]))
            offset += len(data)

    async def TaskExecStdinWrite(self, stream: Any) -> None:
        request = await stream.recv_message()
        await asyncio.to_thread(self._found(request).write, request.offset, request.data, request.eof)
        await stream.send_message(router.TaskExecStdinWriteResponse())

    async def TaskExecWait(self, stream: Any) -> None:
        code = await asyncio.to_thread(self._found(await stream.recv_message()).process.wait)
        how = {"code": code} if code >= 0 else {"signal": -code}
        await stream.send_message(router.TaskExecWaitResponse(**how))

    async def TaskSnapshotFilesystem(self, stream: Any) -> None:
        id = (await stream.recv_message()).task_id.removeprefix("ta-")
        name = f"im-{uuid.uuid4().hex}"
        self._server.images[name] = self._server.folder / name
        shutil.copytree(self._server.home(id), self._server.images[name])
        await stream.send_message(router.TaskSnapshotFilesystemResponse(image_id=name))


@pytest.fixture(scope="session")
def _running() -> Iterator[ModalServer]:
    """One for all tests: the SDK has one client for a process."""
    served = ModalServer()
    with pytest.MonkeyPatch.context() as patch:
        for name in tuple(os.environ):
            if name.startswith("MODAL_"):
                patch.delenv(name)
        patch.setenv("MODAL_SERVER_URL", served.url)
        patch.setenv("MODAL_TOKEN_ID", "ak-id")
        patch.setenv("MODAL_TOKEN_SECRET", "as-secret")
        patch.setenv("MODAL_CONFIG_PATH", str(served.folder / "none.toml"))
        yield served
    served.stop()


@pytest.fixture
def server(_running: ModalServer) -> Iterator[ModalServer]:
    """The server, with nothing in it."""
    yield _running
    _running.clear()


@pytest.fixture
def opened(server: ModalServer, home: Path) -> Iterator[Callable[..., ModalEnvironment]]:
    """Makes and opens environments, and closes them when the test is over; what is given is for Modal."""
    made: list[ModalEnvironment] = []

    def make(task: str = "a task", *, terminal: dict[str, Any] | None = None, **given: Any) -> ModalEnvironment:
        settings = TypeAdapter(TerminalSettings).validate_python({"env": "modal", **(terminal or {}), "modal": given})
        place = modal.make(settings, task=task, home=str(home))
        made.append(place)
        place.open()
        return place

    yield make
    for place in made:
        place.close()


@pytest.fixture
def outcomes() -> Callable[..., list[Any]]:
    """Runs commands one after another in one shell, and tells how they ended."""

    def run(place: ModalEnvironment, *commands: str, timeout: float = 20, **more: Any) -> list[Any]:
        async def in_shell() -> list[Any]:
            shell = Shell(place)
            try:
                return [await shell.run(command, timeout=timeout, **more) for command in commands]
            finally:
                await anyio.to_thread.run_sync(shell.close)

        return anyio.run(in_shell)

    return run
