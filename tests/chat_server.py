"""A server on this machine that speaks OpenAI's chat completions, streamed or not, and refuses what OpenAI refuses."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Message = dict[str, Any]
Model = Callable[[list[Message]], Message]
"""Returns the next message of the assistant, from the messages so far."""

_FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "refusal", "name", "audio", "function_call", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}


class ChatServer(ThreadingHTTPServer):
    """Answers each request with the message of a model.

    Attributes:
        requests: The bodies that were accepted.
        refused: The reasons for which others were not.
        url: The base URL for clients.
    """

    daemon_threads = True

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model
        self.requests: list[dict[str, Any]] = []
        self.refused: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def serve(model: Model) -> Iterator[ChatServer]:
    """Run a server until the end of the block."""
    server = ChatServer(model)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join(20)
        server.server_close()


def tool_call(id: str, name: str, arguments: str) -> Message:
    """Make one tool call of an assistant's message."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.headers.get("authorization", "").removeprefix("Bearer ").strip():
            return self._refuse(401, "You didn't provide an API key.", "invalid_request_error")
        if self.path != "/v1/chat/completions":
            return self._refuse(404, f"Invalid URL (POST {self.path})", "invalid_request_error")
        if problem := find_problem(body):
            return self._refuse(400, problem, "invalid_request_error")
        self.server.requests.append(body)
        try:
            message = {"role": "assistant", "content": None, **self.server.model(body["messages"])}
        except Exception as error:  # a test's model that fails is a server that fails
            return self._refuse(500, repr(error), "server_error")
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        if body.get("stream"):
            return self._send("text/event-stream", _stream(body["model"], message, finish))
        choice = {"index": 0, "message": {"refusal": None, **message}, "logprobs": None, "finish_reason": finish}
        return self._send("application/json", json.dumps(_completion(body["model"], "chat.completion", choice)))

    def _refuse(self, status: int, message: str, kind: str) -> None:
        self.server.refused.append(message)
        error = {"message": message, "type": kind, "param": None, "code": None}
        self._send("application/json", json.dumps({"error": error}), status)

    def _send(self, kind: str, text: str, status: int = 200) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Print nothing."""


def find_problem(body: dict[str, Any]) -> str | None:
    """Return why the API would refuse a request, or None."""
    tools = body.get("tools")
    if tools is not None and not tools:
        return "Invalid 'tools': empty array. Expected an array with minimum length 1."
    for tool in tools or ():
        if tool["type"] != "function" or not tool["function"]["name"]:
            return "Invalid 'tools': expected functions with names."
    waiting: list[str] = []
    for number, message in enumerate(body["messages"]):
        where = f"messages[{number}]"
        role = message.get("role")
        if role not in _FIELDS or set(message) - _FIELDS[role]:
            return f"Unknown parameter in '{where}'."
        if role == "tool":
            if message["tool_call_id"] not in waiting:
                return f"Invalid '{where}': a tool message must follow the message with its tool call."
            if not isinstance(message["content"], str):
                return f"Invalid type for '{where}.content'."
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"An assistant message with 'tool_calls' must be followed by tool messages; missing: {waiting}"
        calls = message.get("tool_calls")
        if role == "assistant" and calls is None and message.get("content") is None:
            return f"Invalid '{where}': an assistant message needs content or tool calls."
        for call in calls or ():
            if set(call) - {"id", "type", "function"} or set(call["function"]) - {"name", "arguments"}:
                return f"Unknown parameter in '{where}.tool_calls'."
            waiting.append(call["id"])
    return f"Tool calls without an answer: {waiting}" if waiting else None


def _completion(model: str, kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    made = {"id": "chatcmpl-1", "object": kind, "created": 1_700_000_000, "model": model, "choices": [choice]}
    return made if kind.endswith("chunk") else {**made, "usage": usage}


def _stream(model: str, message: Message, finish: str) -> str:
    """Write a message as the events of a stream: text word by word, arguments in pieces, calls one after the other."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "" if message["content"] else None}]
    deltas += [{"content": piece} for piece in (message["content"] or "").partition(" ") if piece]
    for index, call in enumerate(message.get("tool_calls", ())):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        function = {"name": name, "arguments": ""}
        deltas.append({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]})
        for piece in (arguments[:5], arguments[5:]):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None} for delta in deltas
    ]
    choices.append({"index": 0, "delta": {}, "logprobs": None, "finish_reason": finish})
    events = [json.dumps(_completion(model, "chat.completion.chunk", choice)) for choice in choices]
    return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])
