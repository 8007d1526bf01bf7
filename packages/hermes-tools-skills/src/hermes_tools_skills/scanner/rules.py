"""The rules of the scanner: severity, message and what would resolve a finding. One table, nothing else."""

from typing import NamedTuple

from hermes_tools_skills.scanner.report import Severity


class Rule(NamedTuple):
    """What a finding of this rule means."""

    severity: Severity
    message: str
    resolution: str


_SHOW = "Replace the encoded text with readable code."
_HOST = "Send it only to the host of its vendor, or declare the host in metadata.hermes.credential_destinations."
_PLAIN = "Remove the text."
_LOCAL = "Ship the file with the skill, or install it from a package index or the vendor's own host."

RULES: dict[str, Rule] = {
    # The skill's files
    "content.unread": Rule("caution", "A file was not scanned: {}", "Remove the file or make it smaller."),
    "content.special": Rule("dangerous", "Not a regular file: {}", "Remove it."),
    "content.link-escape": Rule("dangerous", "A symbolic link leads out of the skill: {}", "Copy the file instead."),
    "content.link": Rule("note", "A symbolic link within the skill: {}", "Copy the file instead."),
    "content.set-id": Rule("dangerous", "The file runs as its owner or group (set-id).", "Clear the set-id bits."),
    "content.executable": Rule("caution", "A compiled program: {}", "Ship the source, or name the package to install."),
    "content.disguised": Rule("dangerous", "The content is not what the name says: {}", "Rename or remove the file."),
    "content.bytecode": Rule("dangerous", "Compiled Python differs from its source: {}", "Remove the compiled file."),
    "content.archive": Rule("caution", "An archive cannot be scanned: {}", "Ship the files instead of the archive."),
    "content.archive-locked": Rule("dangerous", "An archive is encrypted: {}", "Ship the files instead."),
    "content.archive-path": Rule("dangerous", "An archive writes outside of its directory: {}", "Repack the archive."),
    "content.macro": Rule("caution", "A document contains macros: {}", "Remove the macros."),
    "content.ignore-file": Rule("note", "An ignore file, which does not affect this scan.", "Remove the file."),
    "content.look-alike": Rule("caution", "The name imitates another skill: {}", "Choose a distinct name."),
    "content.encoding": Rule("note", "The text is not UTF-8: {}", "Save the file as UTF-8."),
    "content.frontmatter": Rule("note", "The frontmatter is not readable: {}", "Fix the YAML."),
    # Text for the model
    "text.override": Rule("dangerous", "Tells the model to ignore its instructions: {}", _PLAIN),
    "text.conceal": Rule("dangerous", "Tells the model to hide an action from the user: {}", _PLAIN),
    "text.conceal-mention": Rule("note", "Tells the model not to mention something: {}", "Say why."),
    "text.exfiltrate": Rule("dangerous", "Tells the model to send private data: {}", _PLAIN),
    "text.remote-orders": Rule("dangerous", "Tells the model to follow instructions from the network: {}", _LOCAL),
    "text.trigger": Rule("dangerous", "Changes behaviour on a trigger: {}", _PLAIN),
    "text.plant": Rule("dangerous", "Tells the model to change its memory or configuration: {}", _PLAIN),
    "text.plant-mention": Rule("note", "Mentions agent memory or configuration: {}", "None needed."),
    "text.bypass": Rule("dangerous", "Tells the model to avoid approval or a safety check: {}", _PLAIN),
    "text.role": Rule("caution", "Imitates a system message: {}", _PLAIN),
    "text.destroy": Rule("dangerous", "Tells the model to destroy data or weaken security: {}", _PLAIN),
    "text.backdoor": Rule("dangerous", "Tells the model to weaken the code that it writes: {}", _PLAIN),
    "text.hidden-order": Rule("dangerous", "Hidden text gives the model an order: {}", "Move it into visible text."),
    "text.mention": Rule("note", "Quotes or describes an attack: {}", "None needed."),
    "text.invisible": Rule("dangerous", "Contains invisible text: {}", "Remove the invisible characters."),
    "text.zero-width": Rule("note", "Contains zero-width characters.", "Remove them."),
    "text.bidirectional": Rule("caution", "Characters change the reading order: {}", "Remove the characters."),
    "text.homoglyph": Rule("caution", "A word mixes look-alike letters: {}", "Spell it in one alphabet."),
    "text.fake-prerequisite": Rule("dangerous", "Asks to run a program from an unknown source: {}", _LOCAL),
    "text.unknown-download": Rule("caution", "Asks to install from an unknown source: {}", _LOCAL),
    # Code
    "code.encoded": Rule("dangerous", "Runs encoded code: {}", _SHOW),
    "code.encoded-data": Rule("dangerous", "Contains encoded code: {}", _SHOW),
    "code.computed-name": Rule("dangerous", "Computes the name of what it calls: {}", "Call it by its name."),
    "code.fetched": Rule("dangerous", "Runs code from the network: {}", _LOCAL),
    "code.installer": Rule("note", "Runs a well-known installer: {}", "None needed."),
    "code.unknown-shell": Rule("note", "Runs shell code that is known only when it runs: {}", "Write the command out."),
    "code.secret-flow": Rule("dangerous", "Sends a secret: {}", _HOST),
    "code.secret-dns": Rule("dangerous", "Sends data in DNS queries: {}", "Remove it."),
    "code.secret-undeclared": Rule(
        "caution", "Sends a credential to a host that the skill does not document: {}", _HOST
    ),
    "code.reverse-shell": Rule("dangerous", "Opens a shell to the network: {}", "Remove it."),
    "code.native": Rule("dangerous", "Runs machine code from data: {}", "Remove it."),
    "code.deserialize": Rule("caution", "Loads code from data: {}", "Use JSON, or ship the source."),
    "code.dynamic": Rule("note", "Runs code that is known only when it runs: {}", "Call functions instead."),
    "code.persistence": Rule("caution", "Arranges to run again later: {}", "Tell the user how to do it instead."),
    "code.persistence-remote": Rule("dangerous", "Arranges to run code from the network: {}", "Remove it."),
    "code.login-key": Rule("dangerous", "Gives a key access to the machine: {}", "Remove it."),
    "code.agent-config": Rule("caution", "Changes the agent's memory or configuration: {}", "Let the user change it."),
    "code.weakens": Rule("caution", "Switches a protection off: {}", "Remove it."),
    "code.destroys": Rule("dangerous", "Destroys data: {}", "Delete only what the skill created."),
    "code.package-source": Rule("caution", "Installs from an unknown source: {}", "Install from a public index."),
    "code.miner": Rule("dangerous", "Mines cryptocurrency: {}", "Remove it."),
    "code.hook": Rule("note", "Runs without being called: {}", "Let the user run it."),
    "code.hook-suspicious": Rule(
        "caution", "Code that runs without being called does more than building: {}", "Remove the hook."
    ),
    "code.unreadable": Rule("note", "Code that could not be parsed: {}", "Fix the syntax."),
    "code.mention": Rule("note", "Documents a command: {}", "None needed."),
    "code.risky": Rule("note", "A command that needs approval when it runs: {}", "None needed."),
}

#: Rules that the guard's rules map to, by prefix: the longest wins. First for what runs, then for documentation.
GUARD_RULES: dict[str, tuple[str, str]] = {
    "": ("code.risky", "code.mention"),
    "remote.pipe": ("code.fetched", "code.fetched"),
    "remote.substitution": ("code.fetched", "code.fetched"),
    "remote.save-and-run": ("code.fetched", "code.fetched"),
    "remote.powershell": ("code.fetched", "code.fetched"),
    "remote.deceptive-host": ("code.fetched", "code.fetched"),
    "interpreter.remote": ("code.fetched", "code.fetched"),
    "remote.address": ("code.package-source", "code.package-source"),
    "package.source": ("code.package-source", "code.package-source"),
    "package.look-alike": ("code.package-source", "code.package-source"),
    "reverse.": ("code.reverse-shell", "code.reverse-shell"),
    "reverse.tunnel": ("code.risky", "code.mention"),
    "reverse.display": ("code.risky", "code.mention"),
    "interpreter.reverse-shell": ("code.reverse-shell", "code.reverse-shell"),
    "interpreter.exfiltration": ("code.secret-flow", "code.secret-flow"),
    "secret.upload": ("code.secret-flow", "code.secret-flow"),
    "secret.publish": ("code.secret-flow", "code.secret-flow"),
    "secret.dns": ("code.secret-dns", "code.secret-dns"),
    "shell.unknown-code": ("code.unknown-shell", "code.mention"),
    "write.agent-config": ("code.agent-config", "code.mention"),
    "agent.settings": ("code.agent-config", "code.mention"),
    "self.": ("code.weakens", "code.mention"),
    "write.startup": ("code.persistence", "code.mention"),
    "write.runs-later": ("code.persistence", "code.mention"),
    "persistence.": ("code.persistence", "code.mention"),
    "persistence.login-key": ("code.login-key", "code.login-key"),
    "write.ssh": ("code.login-key", "code.login-key"),
    "privilege.sudoers": ("code.weakens", "code.mention"),
    "privilege.protection": ("code.weakens", "code.mention"),
    "permissions.file-flags": ("code.weakens", "code.mention"),
    "hardline.": ("code.destroys", "code.destroys"),
    "hardline.power": ("code.risky", "code.mention"),
    "hardline.kill-all": ("code.risky", "code.mention"),
    "disk.change": ("code.destroys", "code.mention"),
    "logs.erase": ("code.weakens", "code.mention"),
}


def guard_rule(name: str, *, documented: bool) -> str:
    """Return the scanner's rule for a rule of the guard."""
    best = max((prefix for prefix in GUARD_RULES if name.startswith(prefix)), key=len)
    return GUARD_RULES[best][documented]
