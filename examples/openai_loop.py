"""Let a model of an OpenAI-compatible API use the installed tools: `python examples/openai_loop.py "List the files"`.

The key comes from OPENAI_API_KEY, the server from `--base-url` or OPENAI_BASE_URL, and the model from `--model` or
OPENAI_MODEL. Exit codes: 0 with an answer, 1 without one, 2 for wrong usage, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

import openai

from hermes_core import Hermes
from hermes_core.errors import HermesError

SYSTEM = "You are a helpful assistant. Use tools when they help, and answer briefly."


class NoAnswerError(Exception):
    """Raised when the model has not answered after the maximum number of turns."""


def ask(client: openai.OpenAI, request: dict[str, Any], *, stream: bool) -> Any:
    """Ask the model once. With `stream`, print its text as it arrives."""
    if not stream:
        return client.chat.completions.create(**request).choices[0].message
    with client.chat.completions.stream(**request) as events:
        for event in events:
            if event.type == "content.delta":
                print(event.delta, end="", flush=True)
        message = events.get_final_completion().choices[0].message
    if message.content:
        print()
    return message


def answer(client: openai.OpenAI, hermes: Hermes, prompt: str, options: argparse.Namespace) -> str:
    """Run the loop: ask the model, run the tools that it calls, and return its text when it calls no more of them."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]
    with hermes.session(enabled=options.enable) as session:
        for _ in range(options.max_turns):
            request: dict[str, Any] = {"model": options.model, "messages": messages}
            if tools := session.definitions():  # the API rejects an empty list
                request["tools"] = tools
            message = ask(client, request, stream=options.stream)
            if not message.tool_calls:
                return message.content or message.refusal or ""
            calls = [{"id": call.id, "type": "function", "function": _function(call)} for call in message.tool_calls]
            messages.append({"role": "assistant", "content": message.content, "tool_calls": calls})
            for call in message.tool_calls:
                print(f"{call.function.name} {call.function.arguments}", file=sys.stderr)
            results = hermes.fit_turn(session.batch(calls))  # a failing tool returns an error for the model
            for call, result in zip(calls, results, strict=True):
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    raise NoAnswerError(f"no answer after {options.max_turns} turns; raise --max-turns to allow more")


def _function(call: Any) -> dict[str, str]:
    return {"name": call.function.name, "arguments": call.function.arguments}


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one prompt."""
    parser = argparse.ArgumentParser(description="Let a model use the installed tools.")
    parser.add_argument("prompt")
    parser.add_argument("--model", default=os.environ.get("OPENAI_MODEL"), help="name of the model")
    parser.add_argument("--base-url", default=None, help="base URL of the API, up to /v1")
    parser.add_argument("--enable", action="append", metavar="NAME", help="use only this toolset or tool; repeatable")
    parser.add_argument("--max-turns", type=int, default=20, help="maximum number of model calls (default: 20)")
    parser.add_argument("--stream", action="store_true", help="print the text as it arrives")
    options = parser.parse_args(arguments)
    if not options.model:
        parser.error("name a model with --model or OPENAI_MODEL")
    try:
        with openai.OpenAI(base_url=options.base_url) as client, Hermes.load() as hermes:
            text = answer(client, hermes, options.prompt, options)
    except (openai.OpenAIError, HermesError, NoAnswerError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if not options.stream:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
