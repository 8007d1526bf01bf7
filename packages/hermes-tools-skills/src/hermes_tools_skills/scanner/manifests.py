"""Finds commands in files that run them without being asked: package scripts, hooks, build files and agent settings."""

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from hermes_tools_skills.scanner.destinations import hosts_in
from hermes_tools_skills.scanner.shell_code import scan_shell
from hermes_tools_skills.scanner.source import Source

#: Scripts that a package manager runs on its own.
_AUTOMATIC = re.compile(
    r"^(?:pre|post)?(?:install|prepare|publish|pack|uninstall|update)$|^(?:prepare|prepublishOnly|dependencies)$"
)
_COMMAND_KEYS = frozenset(
    [
        "command",
        "cmd",
        "run",
        "script",
        "shell",
        "exec",
        "entrypoint",
        "onCreateCommand",
        "postCreateCommand",
        "postStartCommand",
        "initializeCommand",
        "updateContentCommand",
        "postAttachCommand",
        "preLaunchTask",
    ]
)
_SPAWNS = re.compile(
    r"https?://|\b(?:curl|wget|base64|eval|nc|python3?\s+-c|node\s+-e|bash\s+-c|sh\s+-c|powershell|iex)\b"
)
_GIT_HOOKS = frozenset(
    [
        "applypatch-msg",
        "commit-msg",
        "fsmonitor-watchman",
        "post-applypatch",
        "post-checkout",
        "post-commit",
        "post-merge",
        "post-receive",
        "post-rewrite",
        "post-update",
        "pre-applypatch",
        "pre-auto-gc",
        "pre-commit",
        "pre-push",
        "pre-rebase",
        "pre-receive",
        "prepare-commit-msg",
        "push-to-checkout",
        "update",
    ]
)
_AGENT_SETTINGS = frozenset(
    {
        ".mcp.json",
        "mcp.json",
        "settings.json",
        "settings.local.json",
        "hooks.json",
        "claude_desktop_config.json",
        "tasks.json",
        "launch.json",
        "devcontainer.json",
        "config.json",
    }
)


def is_hook(path: str) -> bool:
    """Return True for a script that runs without being called."""
    parts = PurePosixPath(path)
    name = parts.name.lower()
    return (
        (
            ("hooks" in parts.parts or ".husky" in parts.parts)
            and (parts.stem in _GIT_HOOKS or ".git" in parts.parts or ".husky" in parts.parts)
        )
        or name
        in {
            "setup.py",
            "conftest.py",
            "sitecustomize.py",
            "usercustomize.py",
            "postinstall.js",
            "postinstall.sh",
            "preinstall.js",
            "preinstall.sh",
            "postinstall.py",
            ".envrc",
            ".bashrc",
            ".zshrc",
            ".profile",
            "binding.gyp",
            "extconf.rb",
        }
        or name.endswith(".pth")
    )


def scan_manifest(path: str, text: str, source: Source) -> bool:
    """Scan a file that contains commands. Return True when it was such a file."""
    name = PurePosixPath(path).name.lower()
    suffix = PurePosixPath(path).suffix.lower()
    if name == "package.json":
        _scan_package(text, source)
    elif name.startswith("dockerfile") or suffix == ".dockerfile" or name == "containerfile":
        _scan_dockerfile(text, source)
    elif name in {"makefile", "gnumakefile", "justfile"} or suffix == ".mk":
        _scan_recipes(text, source)
    elif suffix in {".json", ".jsonc", ".json5", ".code-workspace", ".webmanifest"}:
        _scan_settings(name, _load_json(text), text, source)
    elif suffix in {".yaml", ".yml"}:
        _scan_settings(name, _load_yaml(text), text, source)
    elif suffix in {
        ".toml",
        ".cfg",
        ".ini",
        ".desktop",
        ".service",
        ".timer",
        ".plist",
        ".conf",
        ".reg",
        ".inf",
        ".npmrc",
        ".cron",
    } or name in {
        "crontab",
        ".npmrc",
        "pip.conf",
        ".yarnrc",
        ".gitconfig",
        "config",
        ".pypirc",
        ".pre-commit-config.yaml",
    }:
        _scan_lines(name, text, source)
    elif (name.startswith("requirements") and suffix in {".txt", ".in"}) or name == "gemfile":
        _scan_requirements(text, source)
    elif name == ".gitmodules":
        source.find("code.hook", 0, "git submodules")
    else:
        return False
    return True


def _load_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        try:
            return json.loads(re.sub(r"(?m)^\s*//.*$|,(?=\s*[}\]])", "", text))
        except (ValueError, RecursionError):
            return None


def load_yaml(text: str) -> Any:
    """Load YAML without tags, and with every scalar a string; None when it is not valid or uses aliases."""
    return _load_yaml(text)


def _load_yaml(text: str) -> Any:
    import yaml

    loader_type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    if len(text) > 1_000_000 or re.search(r"(?m)(?:^|[\s\[{,])\*[A-Za-z_]\w*\s*$", text):
        return None
    try:
        return yaml.load(text, Loader=loader_type)  # noqa: S506 (a base loader constructs only texts, lists and maps)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _line_of(text: str, value: str) -> int:
    at = text.find(value[:60].replace('"', '\\"')) if value else -1
    return text.count("\n", 0, at) if at > 0 else 0


def _run(command: str, line: int, source: Source, *, hook: bool, what: str) -> None:
    part = source.part(line, "hook" if hook else "script")
    if hook:
        part.find("code.hook", 0, f"{what}: {command[:100]}")
    scan_shell(command, part)
    inline = re.search(
        r"\b(?:node\s+(?:-e|--eval|-p)|python3?\s+-c|ruby\s+-e|perl\s+-e|php\s+-r)\s+(['\"])(.+)\1", command, re.DOTALL
    )
    if inline:
        code = inline.group(2).replace('\\"', '"')
        if hook and _REACHES_OUT.search(code):
            part.find("code.hook-suspicious", 0, code[:100])
        from hermes_tools_skills.scanner.python_code import scan_python
        from hermes_tools_skills.scanner.scripts import scan_script

        (scan_python if "python" in inline.group(0)[:8] else scan_script)(code, part)
    elif hook and hosts_in(command) and re.search(r"\b(?:curl|wget|nc|iwr|irm)\b", command):
        part.find("code.hook-suspicious", 0, command[:100])


_REACHES_OUT = re.compile(
    r"https?://|\brequire\(\s*['\"](?:https?|net|dns|child_process)|\bfetch\(|socket|urllib|requests|subprocess|"
    r"os\.system|exec\(|eval\(|Buffer\.from|atob|b64decode"
)


def _scan_package(text: str, source: Source) -> None:
    data = _load_json(text)
    if not isinstance(data, dict):
        source.find("code.unreadable", 0, "package.json")
        return _scan_lines("package.json", text, source)
    scripts = data.get("scripts")
    for name, command in (scripts if isinstance(scripts, dict) else {}).items():
        if isinstance(command, str):
            _run(command, _line_of(text, command), source, hook=bool(_AUTOMATIC.match(name)), what=name)
    for group in (
        "dependencies",
        "devDependencies",
        "optionalDependencies",
        "peerDependencies",
        "overrides",
        "resolutions",
    ):
        packages = data.get(group)
        for name, version in (packages if isinstance(packages, dict) else {}).items():
            if isinstance(version, str) and re.match(r"(?:https?|git)(?:\+\w+)?:", version):
                from hermes_tools_skills.scanner.destinations import classify_host

                if any(
                    classify_host(host) in {"unknown", "drop"}
                    for host in hosts_in(version.replace("git+", "").replace("git://", "https://"))
                ):
                    source.find("code.package-source", _line_of(text, version), f"{name} from {version}")
    return None


def _commands(data: Any, path: tuple[str, ...] = (), depth: int = 0) -> Iterator[tuple[tuple[str, ...], str]]:
    if depth > 30:
        return
    if isinstance(data, dict):
        for key, value in data.items():
            place = (*path, str(key))
            if str(key) in _COMMAND_KEYS and isinstance(value, str):
                arguments = data.get("args")
                words = [value, *(str(word) for word in arguments)] if isinstance(arguments, list) else [value]
                if len(words) > 2 and words[1] in {"-c", "-lc", "/c", "-Command"}:
                    words = words[2:]
                yield place, " ".join(words)
            elif str(key) in _COMMAND_KEYS and isinstance(value, list) and all(isinstance(word, str) for word in value):
                yield place, " ".join(value)
            else:
                yield from _commands(value, place, depth + 1)
    elif isinstance(data, list):
        for at, value in enumerate(data[:2_000]):
            yield from _commands(value, (*path, str(at)), depth + 1)


def _scan_settings(name: str, data: Any, text: str, source: Source) -> None:
    if data is None:
        return _scan_lines(name, text, source)
    for place, command in _commands(data):
        if len(command) < 2_000 or _SPAWNS.search(command):
            automatic = name in _AGENT_SETTINGS or "hooks" in place or "mcpServers" in place
            _run(
                command,
                _line_of(text, command.split("\n")[0]),
                source,
                hook=automatic and bool(_SPAWNS.search(command)),
                what=".".join(place)[:60],
            )
    if isinstance(data, dict) and name in _AGENT_SETTINGS:
        _scan_servers(data, text, source)
    return None


def _scan_servers(data: dict[str, Any], text: str, source: Source) -> None:
    from hermes_tools_skills.scanner.destinations import classify_host

    servers = data.get("mcpServers") or data.get("servers")
    for key, server in (servers if isinstance(servers, dict) else {}).items():
        url = server.get("url") if isinstance(server, dict) else None
        if isinstance(url, str) and any(classify_host(host) in {"unknown", "drop"} for host in hosts_in(url)):
            source.find("code.agent-config", _line_of(text, url), f"tool server {key} at {url}")
    permissions = data.get("permissions")
    allowed = permissions.get("allow") if isinstance(permissions, dict) else None
    broad = (
        [
            entry
            for entry in allowed or []
            if isinstance(entry, str) and re.fullmatch(r"Bash(?:\(\*?:?\*\))?|\*|mcp__\*", entry)
        ]
        if isinstance(allowed, list)
        else []
    )
    if (
        broad
        or data.get("defaultMode") == "bypassPermissions"
        or (isinstance(permissions, dict) and permissions.get("defaultMode") == "bypassPermissions")
        or data.get("enableAllProjectMcpServers") in (True, "true")
    ):
        source.find("code.weakens", 0, "settings allow every command")
    environment = data.get("env")
    if isinstance(environment, dict):
        for key, value in environment.items():
            if re.search(r"_BASE_URL$|_API_URL$|PROXY$", str(key)) and any(
                classify_host(host) in {"unknown", "drop"} for host in hosts_in(str(value))
            ):
                source.find("code.secret-flow", _line_of(text, str(value)), f"requests with credentials go to {value}")


def _scan_dockerfile(text: str, source: Source) -> None:
    joined = re.sub(r"\\\n", "  ", text)
    for number, line in enumerate(joined.split("\n")):
        found = re.match(r"\s*(?:ONBUILD\s+)?(?:RUN|CMD|ENTRYPOINT)\s+(.*)", line, re.IGNORECASE)
        if found:
            command = found.group(1)
            words = _load_json(command) if command.startswith("[") else None
            scan_shell(
                " ".join(words[2:] if len(words) > 2 and words[1] == "-c" else words)
                if isinstance(words, list)
                else re.sub(r"^(?:--\w+=\S+\s+)+", "", command),
                source.part(number, "script"),
            )


def _scan_recipes(text: str, source: Source) -> None:
    joined = text.replace("\\\n", "  ")
    recipes = []
    for line in joined.split("\n"):
        shell = re.search(r"\$\(shell\s+(.*)\)|:?!?=\s*`(.*)`", line)
        recipes.append(
            re.sub(r"^[\t ]+[@-]*", "", line)
            if line.startswith(("\t", "    "))
            else (shell.group(1) or shell.group(2))
            if shell
            else ""
        )
    scan_shell("\n".join(recipes).replace("$$", "$"), source)


_ASSIGNED_COMMAND = re.compile(
    r"(?i)^\s*(?:[\w.-]*(?:exec\w*|command|cmd|script|run|hook\w*|sshcommand|fsmonitor|editor|"
    r"pager)[\w.-]*\s*[=:]\s*|(?:[\d*/,-]+\s+){5}|<string>)[\"']?(.+?)[\"',]?(?:</string>)?\s*$"
)


_QUOTED = re.compile(r"=\s*([\"'])(.+)\1\s*$")
_COMMAND = re.compile(r"\b(?:curl|wget|iwr|irm)\b[^\n]*(?:\||&&|;|-d\b|-F\b)|\|\s*(?:ba|z)?sh\b|base64\s+-|/dev/tcp/")


def _scan_lines(name: str, text: str, source: Source) -> None:
    """Scan a settings file line by line: what looks like a command is one."""
    for number, line in enumerate(text.split("\n")):
        found = _ASSIGNED_COMMAND.match(line)
        if found and _SPAWNS.search(line):
            _run(found.group(1), number, source, hook=True, what=name)
        elif (value := _QUOTED.search(line)) and _COMMAND.search(value.group(2)):
            _run(value.group(2), number, source, hook=True, what=name)
        elif re.search(r"(?i)^\s*(?:extra[-_])?index[-_]url|^\s*(?:\S*:)?registry\s*=", line):
            _scan_requirements(line, source.part(number, source.role))
    if re.search(r"(?s)<key>ProgramArguments</key>", text):
        words = re.findall(r"<string>(.*?)</string>", text)
        _run(" ".join(words), 0, source, hook=True, what=name)


def _scan_requirements(text: str, source: Source) -> None:
    from hermes_tools_skills.scanner.destinations import classify_host

    for number, line in enumerate(text.split("\n")):
        if line.lstrip().startswith(("#", ";")):
            continue
        strange = [host for host in hosts_in(line.replace("git+", "")) if classify_host(host) in {"unknown", "drop"}]
        if strange:
            source.find("code.package-source", number, line.strip()[:120])
