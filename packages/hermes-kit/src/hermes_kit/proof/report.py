"""Prints a proof."""

from __future__ import annotations

from hermes_core.commands import Column, clean, note, print_table, say
from hermes_kit.proof.proof import PROVEN_HOOKS, UNPROVEN_HOOKS, PathProof, Proof


def print_proof(proof: Proof) -> None:
    """Print a table of the paths, followed by the problems, worst last."""
    columns = [
        Column(title="path", style="bold cyan"),
        *(Column(title=_short(hook), fit="wrap") for hook in PROVEN_HOOKS),
        Column(title="remark", fit="wrap", style="yellow"),
    ]
    print_table(
        columns, ((path.path, *(_cell(path, hook) for hook in PROVEN_HOOKS), _remark(path)) for path in proof.paths)
    )
    say()
    for hook, plugins in proof.unproven.items():
        say(clean(f"Not proven: {_short(hook)} of {', '.join(plugins)}, because {UNPROVEN_HOOKS[hook]}."))
    for hook, plugins in proof.unreached.items():
        say(
            clean(f"Not proven: {_short(hook)} of {', '.join(plugins)}, because each probe was denied before."),
            "yellow",
        )
    for plugin, reason in proof.unusable.items():
        say(clean(f"The plugin {plugin} cannot be used: {reason}"), "red")
    for each in proof.failures:
        say(clean(f"{_short(each.hook)} of {each.plugin} failed: {each.reason.rstrip('.')}."), "red")
    if proof.stuck:
        say(clean(f"The other paths were not tried, because {proof.stuck}."), "red")
    wrong = [path.path for path in proof.paths if path.skipped or path.problem]
    if proof.stuck and not wrong:
        return
    if wrong:
        say(f"Not every hook saw every call: see {', '.join(wrong)}.", "red")
    elif not any(proof.implemented.values()):
        other = "other" if proof.unusable else "installed"
        note(f"No {other} plugin judges or watches calls, so no hook could be skipped.")
    elif proof.failures:
        say(f"Every hook was called on each of {len(proof.paths)} paths, but not every one worked.", "red")
    elif proof.unreached:
        say(f"Every other hook saw the call on each of {len(proof.paths)} paths.", "yellow")
    else:
        say(f"Every hook saw the call on each of {len(proof.paths)} paths.", "" if proof.unusable else "green")


def _short(hook: str) -> str:
    return hook.removeprefix("hermes_")


def _cell(path: PathProof, hook: str) -> str:
    failed = {each.plugin for each in path.failures if each.hook == hook}
    seen = [f"{plugin} FAILED" if plugin in failed else plugin for plugin in path.seen[hook]]
    return ", ".join([*seen, *(f"NOT {plugin}" for skipped, plugin in path.skipped if skipped == hook)])


def _remark(path: PathProof) -> str:
    if not path.tried:
        return "not tried"
    words = [outcome for outcome in dict.fromkeys(path.outcomes) if outcome != "allowed"]
    return clean("; ".join([*words, *([path.problem] if path.problem else [])]))
