"""Scans scripts in other languages: folds constants, splits statements, and follows secrets through variables."""

import re
from collections.abc import Iterator

from hermes_tools_skills.scanner.constants import fold
from hermes_tools_skills.scanner.destinations import SECRET_NAME, SECRET_PATH, classify_host, hosts_in
from hermes_tools_skills.scanner.encodings import ACTIVE
from hermes_tools_skills.scanner.shell_code import bare_hosts, scan_fetch_and_run, scan_shell
from hermes_tools_skills.scanner.source import MAX_LAYERS, Lines, Source

_ENVIRONMENT = re.compile(
    r"process\.env(?:\.(\w+)|\[\s*[\"'](\w+)[\"']\s*\])?|(?<![\w$])ENV(?:\[\s*[\"'](\w+)[\"']\s*\]|"
    r"\.fetch\(\s*[\"'](\w+)[\"'])|\bENV\.to_h\b|\bENV\.(?:map|each|inspect|to_a)\b|\$ENV\{\s*[\"']?(\w+)|%ENV\b"
    r"|\bgetenv\(\s*[\"'](\w+)[\"']|\$_(?:ENV|SERVER)\[\s*[\"'](\w+)|\$_ENV\b(?!\[)|\bgetenv\(\s*\)|os\.(?:Getenv|"
    r"getenv|LookupEnv)\(\s*[\"'](\w+)|os\.Environ\(\)|os\.environ(?:\[\s*[\"'](\w+)|\.get\(\s*[\"'](\w+))?|"
    r"\$env:(\w+)|(?:Get-ChildItem|gci|dir|ls)\s+env:|\[Environment\]::GetEnvironmentVariables\(\)|"
    r"(?:Deno|Bun)\.env(?:\.get\(\s*[\"'](\w+)|\.(\w+)|\.toObject)?|import\.meta\.env\.(\w+)|"
    r"System\.getenv\(\s*(?:[\"'](\w+))?|std::env::(?:var\(\s*[\"'](\w+)|vars)|%([A-Z][A-Z0-9_]{3,})%|system "
    r"attribute [\"'](\w+)|ProcessInfo\.processInfo\.environment|\bextern\s+char\s*\*\*\s*environ|"
    r"\{([A-Z][A-Z_]{3,})\}\s*=\s*process\.env|Sys\.getenv\(\s*(?:[\"'](\w+))?"
)
_DESTRUCTURED = re.compile(r"\{([^{}]{1,300})\}\s*=\s*process\.env")
_SENT = re.compile(r"\b(\w+)\.(?:write|end|send|emit|print|puts|sendall)\s*\(")
_PULLED = re.compile(r"(\w+)\s*(?::\s*(\w+))?")
_NETWORK = re.compile(
    r"(?i)\bfetch\s*\(|\baxios\b|\bhttps?\.(?:get|request|post)\b|XMLHttpRequest|sendBeacon|new\s+WebSocket|"
    r"new\s+Image\b|\.src\s*=|\bnet\.(?:connect|createConnection|Socket)|\bdgram\b|\bgot\s*[.(]|superagent|"
    r"needle\b|undici|"
    r"Net::HTTP|open-uri|URI\.open|URI\(|HTTParty|Faraday|RestClient|TCPSocket|UDPSocket|LWP|HTTP::Tiny|"
    r"IO::Socket|curl_(?:exec|init|setopt\w*)|file_get_contents\s*\(\s*[\"']https?|fsockopen|stream_socket_client|"
    r"Guzzle|"
    r"Invoke-WebRequest|Invoke-RestMethod|\biwr\b|\birm\b|WebClient|Upload(?:String|Data|File)|HttpClient|"
    r"socket\.http|http\.(?:Get|Post|NewRequest)|net\.Dial|\bcurl\b|\bwget\b|URLSession|NSURL|urlopen|requests\.|"
    r"reqwest|ureq|TcpStream|"
    r"\bconnect\s*\(|HttpURLConnection|WinHttp|MSXML2|bitsadmin|\bsocket\s*\(|io\.socket|\bsend(?:to)?\s*\(|\.post\s*\("
)
_DNS = re.compile(
    r"(?i)\bdns\.(?:promises\.)?(?:lookup|resolve\w*)\s*\(|\bnslookup\b|\bdig\s|gethostbyname\s*\(|"
    r"getaddrinfo\s*\(|Resolve-DnsName|net\.Lookup\w+|Resolv\.\w+|dns_get_record|checkdnsrr|resolve4|"
    r"lookupService"
)
_RUNS_CODE = re.compile(
    r"(?<![\w.$])(?:eval|Function|loadstring|load|assert|create_function|instance_eval|class_eval|iex|execScript|"
    r"setTimeout|setInterval|source|evaluate|dofile|importScripts)\s*\(|new\s+Function\s*\(|\bvm\.(?:run\w+|"
    r"Script)|(?:globalThis|window|global|self|this)\s*\[\s*[\"'](?:eval|Function)|Invoke-Expression|\biex\b|"
    r"\[ScriptBlock\]::Create|(?<![\w.$>:-])eval\s+[$\"'(]|\.constructor\s*\(\s*[\"']|"
    r"\brequire\s*\(\s*[\"']module[\"']\s*\)\._compile|_compile\s*\(|WebAssembly\.instantiate|EncodedCommand|"
    r"-enc\s+[A-Za-z0-9+/=]{16,}"
)
_RUNS_SHELL = re.compile(
    r"(?:\b(?:execSync|execFileSync|exec|execFile|spawnSync|spawn|fork|system|popen|shell_exec|passthru|proc_open|"
    r"os\.execute|io\.popen|IO\.popen|Kernel\.\w+|Open3\.\w+|exec\.Command|Runtime\.getRuntime\(\)\.exec|"
    r"Command::new|do shell script|Start-Process|ShellExecute|WScript\.Shell|Shell\.Run|\.Run|sh\s*-c|execa|"
    r"\$)\s*\(?\s*)((?:\[?\s*(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)\s*,?\s*)+)"
    r"|%x[\[({]([^\])}\n]+)|(?<![\w`\\])`([^`\n]{4,400})`"
)
_ASSIGNMENT = re.compile(
    r"(?:(?:const|let|var|my|local|our|def|val|auto|string|String|char\s*\*?|dim|"
    r"set)\s+)?[$@%]?([A-Za-z_][\w]*)(?:\[[^\]\n]{0,60}\])?\s*(?::\s*[\w<>\[\]]+\s*)?(?::=|\+=|\.=|=(?![=>~]))\s*"
)
_CALL_RESULT = re.compile(
    r"\b(?:for|foreach|each)\b[^({\n]{0,4}[({]?\s*(?:const|let|var|my)?\s*[$\[]?\s*([\w, $]+?)\]?\s+(?:of|in)\s+(.*)"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`")
_READS = re.compile(
    r"(?i)read|open|cat\b|get-content|\bgc\b|\btype\b|load|require|slurp|file|copy|glob|createReadStream|Get-Item|"
    r"import|stat|exists"
)
_FUNCTION = re.compile(
    r"(?:\bfunction\s+(\w+)\s*\(|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|\([^()\n]{0,"
    r"200}\)\s*=>|\w+\s*=>)|\b(?:def|sub|func|fn)\s+(\w+))"
)
_COMPUTED_CALL = re.compile(
    r"(?:globalThis|window|global|self|this|require\([\"']\w+[\"']\)|process|module|Reflect|cp|child_process|"
    r"(?<!\w)\w+)\s*\[\s*[\"'](eval|Function|exec|execSync|spawn|spawnSync|require|binding|mainModule|dlopen|"
    r"constructor|"
    r"fetch|env|child_process|fromCharCode|atob)[\"']\s*\]"
)
_REQUIRE_FOLDED = re.compile(
    r"\b(?:require|import)\s*\(\s*[\"']((?:node:)?(?:child_process|net|dns|http|https|vm|fs|dgram))[\"']\s*\)"
)
_REVERSE = re.compile(
    r"(?is)(?:TCPSocket|IO::Socket|fsockopen|net\.Dial|net\.(?:connect|Socket|createConnection)|TCPClient|"
    r"socket\s*\(|socket\.tcp|stream_socket_client|InetAddress|new Socket\b|TcpStream::connect).{0,"
    r"900}?(?:/bin/(?:ba|z)?sh|cmd\.exe|powershell|exec\s*\(|spawn|iex\b|dup2|proc_open|os\.execute|pipe\()"
)
_ENCODED_POWERSHELL = re.compile(r"(?i)-e(?:nc|ncodedcommand|c)?\s+([A-Za-z0-9+/=]{20,})")
_MINER = re.compile(r"(?i)\bxmrig\b|stratum\+(?:tcp|ssl)://|coinhive|cryptonight|\bcoin-?imp\b")
_HIDDEN_WINDOW = re.compile(r"(?i)-w(?:indowstyle)?\s+hidden|\bbypass\b\s+-|attrib\s+\+h|SW_HIDE|with hidden answer")
_LATER = re.compile(
    r"(?i)(?:appendFile\w*|writeFile\w*|write_text|open\s*\(|File\.(?:write|open)|fopen|file_put_contents|"
    r"Add-Content|Set-Content|Out-File|io\.open|WriteAllText|>>|copyFile\w*|os\.WriteFile)[^\n;]{0,"
    r"160}?(?P<file>\.(?:bash|zsh)rc|\.(?:bash_|z)?profile|LaunchAgents|authorized_keys|\.git/hooks|crontab|"
    r"systemd/user|Startup|autostart|"
    r"CLAUDE\.md|AGENTS\.md|SOUL\.md|MEMORY\.md|HEARTBEAT\.md|IDENTITY\.md|USER\.md|\.cursorrules|mcp\.json|"
    r"claude_desktop_config|\.claude/|\.hermes/|\.cursor/|\.codex/|\.claude\.json)"
)
_SUSPECT_WRITE = re.compile(
    r"(?i)(?P<write>appendFile\w*|writeFile\w*|File\.(?:write|open)|file_put_contents|Add-Content|Set-Content|"
    r"Out-File|WriteAllText|copyFile\w*|os\.WriteFile|fopen|io\.open)\s*\(?"
)
_AGENT = re.compile(
    r"(?i)CLAUDE\.md|AGENTS\.md|SOUL\.md|MEMORY\.md|HEARTBEAT\.md|IDENTITY\.md|USER\.md|cursorrules|mcp\.json|"
    r"claude_desktop_config|\.(?:claude|hermes|cursor|codex)\b"
)
_EXFIL_ALL = re.compile(r"\(|\*|entries|stringify|to_h|to_json|inspect|keys")
#: Longer statements are cut: minified code has no lines.
_MAX_STATEMENT = 6_000


def scan_script(text: str, source: Source) -> None:
    """Scan a script in a language that only its tokens are known of."""
    folded, decoded = fold(text)
    for line, how, value in decoded:
        if source.layers < MAX_LAYERS and ACTIVE.search(value) and len(value) > 12 and not source.documented:
            source.find("code.encoded-data" if how != "joined" else "code.computed-name", line, f"{how}: {value[:100]}")
    _scan_statements(folded, source)
    _scan_patterns(text, folded, source)


def _scan_patterns(text: str, folded: str, source: Source) -> None:
    lines = Lines(folded)
    for pattern in (_COMPUTED_CALL, _REQUIRE_FOLDED):
        for found in pattern.finditer(folded):
            # What stands in the text as it is was not computed.
            if found.group(1) not in text or (
                re.search(rf"\[\s*[\"']{found.group(1)}[\"']\s*\]", text) and found.group(1) in {"eval", "Function"}
            ):
                source.find("code.computed-name", lines.at(found.start()), found.group()[:100])
    if (reverse := _REVERSE.search(folded[:400_000])) and not re.search(
        r"(?i)127\.0\.0\.1|localhost|createServer|listen\s*\(", reverse.group()
    ):
        source.find(
            "code.reverse-shell",
            lines.at(reverse.start()),
            reverse.group()[:80],
            "caution" if source.documented else None,
        )
    scan_fetch_and_run(folded, source)
    if miner := _MINER.search(folded):
        source.find("code.miner", lines.at(miner.start()), miner.group())
    for found in _ENCODED_POWERSHELL.finditer(folded):
        if re.search(r"(?i)powershell|pwsh", folded[max(0, found.start() - 200) : found.start()]):
            source.find("code.encoded", lines.at(found.start()), "PowerShell -EncodedCommand")
    for found in _LATER.finditer(folded):
        if source.documented:
            continue
        name = found.group("file")
        rule = (
            "code.login-key"
            if "authorized" in name
            else "code.agent-config"
            if _AGENT.search(name)
            else "code.persistence"
        )
        source.find(rule, lines.at(found.start()), name)
    if (
        not source.documented
        and (
            agent := re.search(
                r"[\"'`/](?:CLAUDE\.md|AGENTS\.md|SOUL\.md|MEMORY\.md|HEARTBEAT\.md|mcp\.json|"
                r"claude_desktop_config\.json)[\"'`]",
                folded,
            )
        )
        and _HOME.search(folded)
        and (write := _SUSPECT_WRITE.search(folded))
    ):
        source.find("code.agent-config", lines.at(write.start()), agent.group())


_HOME = re.compile(
    r"(?i)homedir|process\.env\.HOME|ENV\[.HOME|\$HOME|USERPROFILE|Dir\.home|getenv\(.HOME|UserHomeDir|~/"
)


def statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the statements of a script with their lines: lines, joined while a parenthesis or bracket is open."""
    depth, begin, size = 0, 0, 0
    parts: list[str] = []
    for at, line in enumerate(text.split("\n")):
        for piece in (line[offset : offset + _MAX_STATEMENT] for offset in range(0, max(len(line), 1), _MAX_STATEMENT)):
            if not parts:
                begin = at
            parts.append(piece)
            size += len(piece)
            code = _STRING.sub("", piece)
            depth += code.count("(") + code.count("[") - code.count(")") - code.count("]")
            if depth <= 0 or size > _MAX_STATEMENT:
                yield begin, "\n".join(parts)
                depth, parts, size = 0, [], 0
    if parts:
        yield begin, "\n".join(parts)


def _labels(statement: str, known: dict[str, set[str]], source: Source, line: int) -> set[str]:
    found: set[str] = set()
    for match in _ENVIRONMENT.finditer(statement):
        name = next((group for group in match.groups() if group), "")
        if name and SECRET_NAME.search(name):
            found.add(f"env:{name}")
        elif not name and not statement[match.end() :].lstrip().startswith("["):
            names = _DESTRUCTURED.search(statement)
            if names:
                found |= {
                    f"env:{part.strip()}"
                    for part in re.split(r"[,:=]", names.group(1))
                    if SECRET_NAME.search(part.strip())
                }
            elif not re.match(r"\s*(?:\?\.|\|\||&&)", statement[match.end() :]) and not re.search(
                r"env\s*:\s*(?:\{\s*\.\.\.)?$|\.\.\.$", statement[: match.start()]
            ):
                found.add("env:*")
    for match in SECRET_PATH.finditer(statement):
        found.add(f"file:{match.group().strip().strip(chr(34) + chr(39))}")
    for label in found:
        source.reads_secret(label, line)
    for word in set(_WORD.findall(statement)):
        found |= known.get(word, set())
    return found


def _scan_statements(text: str, source: Source) -> None:
    known: dict[str, set[str]] = {}
    texts: dict[str, str] = {}
    senders = _senders(text)
    parts = list(statements(text))
    for number in range(2):
        for line, statement in parts:
            if not known and not _INTERESTING.search(statement):
                continue
            labels = _labels(statement, known, source, line)
            sent = _SENT.search(statement)
            network = _NETWORK.search(statement) is not None or (
                sent is not None and "fetched" in known.get(sent.group(1), ())
            )
            assigned = _ASSIGNMENT.match(statement.lstrip()) or _ASSIGNMENT.search(statement[:200])
            looped = _CALL_RESULT.search(statement)
            flowing = (
                labels | ({"fetched"} if network else set()) | ({"decoded"} if _DECODING.search(statement) else set())
            )
            for pulled in _DESTRUCTURED.finditer(statement):
                for name, other in _PULLED.findall(pulled.group(1)):
                    if SECRET_NAME.search(name):
                        known.setdefault(other or name, set()).add(f"env:{name}")
            if assigned and flowing:
                # What the network answers is not the secret that was sent with the request.
                kept = flowing if not network else {"fetched"} | ({"decoded"} & flowing)
                known.setdefault(assigned.group(1), set()).update(kept)
            if looped and labels:
                for name in _WORD.findall(looped.group(1)):
                    known.setdefault(name, set()).update(labels)
            if assigned and (hosts := hosts_in(statement) or (_bare(statement) if network else [])):
                texts[assigned.group(1)] = (
                    f"{texts.get(assigned.group(1), '')} {' '.join('https://' + host for host in hosts)}"[:2_000]
                )
            if number:
                _judge(statement, line, labels, network, texts, senders, source)


_INTERESTING = re.compile(
    r"(?i)env|fetch|http|socket|dns|eval|exec|spawn|system|Function|base64|atob|iex|invoke|shell|\$\(|`|connect|"
    r"secret|\.ssh|\.aws|cookie|keychain|unpack|decode|curl|wget|nslookup|load|run|_history|id_rsa|wallet|"
    r"credentials|netrc|open"
)
_DECODING = re.compile(
    r"\bpack\s*\(?\s*[\"']H\*|\batob\b|Buffer\.from\([^)\n]*[\"'](?:base64|hex)|base64_decode|decode64|unpack1?\(|"
    r"FromBase64String|"
    r"gzinflate|str_rot13|hex2bin|decode_base64|inflateSync|gunzipSync|fromCharCode|createDecipher\w*"
)


def _senders(text: str) -> dict[str, str]:
    """Return the functions of a script that connect to the network, with their bodies."""
    found: dict[str, str] = {}
    starts = list(_FUNCTION.finditer(text))[:500]
    for at, match in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else min(len(text), match.end() + 3_000)
        body = text[match.end() : min(end, match.end() + 3_000)]
        name = next(group for group in match.groups() if group)
        if _NETWORK.search(body) and len(name) > 1:
            found[name] = body
    return found


def _judge(
    statement: str,
    line: int,
    labels: set[str],
    network: bool,
    texts: dict[str, str],
    senders: dict[str, str],
    source: Source,
) -> None:
    words = set(_WORD.findall(statement))
    secrets = {label for label in labels if label.startswith(("env:", "file:"))}
    called = [name for name in words & set(senders) if re.search(rf"\b{name}\s*\(", statement)]
    expanded = statement + "".join(texts.get(word, "") for word in words) + "".join(senders[name] for name in called)
    hosts = hosts_in(expanded)
    if network or called:
        for host in hosts:
            source.connects(host, line, uploads=bool(_UPLOADS.search(expanded)))
        if secrets and not _DEFINES.match(statement):
            source.sends(secrets, hosts or _bare(expanded), line)
    if _DNS.search(statement) and (
        secrets
        or (
            re.search(r"(?:\$\{[^}]+\}|[\"'`]?\s*\+\s*|#\{[^}]+\}|\.\.)[^\n]{0,60}\.(?:[\w-]+\.)*[\w-]{2,}", statement)
            and re.search(
                r"(?i)toString\(.(?:hex|base64)|chunk|slice|btoa|encode|unpack|hex", statement + " ".join(sorted(words))
            )
            and bare_hosts(statement)
        )
    ):
        source.find("code.secret-dns", line, statement[:100])
    if _RUNS_CODE.search(statement):
        _judge_code(statement, line, labels, network, source)
    for found in _RUNS_SHELL.finditer(statement):
        _judge_command(found, statement, line, source)


_UPLOADS = re.compile(r"(?i)\bPOST\b|\bPUT\b|body\s*:|\.post\b|send|upload|write\s*\(|data\s*:")
_DEFINES = re.compile(r"\s*(?:async\s+)?(?:function|def|sub|func|fn|class)\b")


def _bare(text: str) -> list[str]:
    quoted = " ".join(next(group for group in match if group) for match in _STRING.findall(text) if any(match))
    return [host for host in bare_hosts(quoted) if classify_host(host) != "placeholder"]


def _judge_code(statement: str, line: int, labels: set[str], network: bool, source: Source) -> None:
    match = _RUNS_CODE.search(statement)
    assert match is not None
    name = match.group()
    argument = statement[match.end() : match.end() + 400]
    timer = name.startswith(("setTimeout", "setInterval", "load", "source", "evaluate"))
    if timer and not re.match(r"\s*(?:[\"'`]|atob|Buffer|\w+\s*[,)])", argument):
        return
    if ("decoded" in labels or _DECODING.search(statement)) and not timer:
        source.find("code.encoded", line, statement.strip()[:100])
    elif ("fetched" in labels or (network and not timer and _NETWORK.search(argument))) and not timer:
        source.find("code.fetched", line, statement.strip()[:100])
    elif not timer:
        source.find("code.dynamic", line, statement.strip()[:80])
    literal = _STRING.match(argument.lstrip())
    if literal and not timer and source.layers < MAX_LAYERS:
        _scan_statements(
            next(group for group in literal.groups() if group is not None).replace("\\n", "\n"), source.nested(line)
        )


def _judge_command(found: "re.Match[str]", statement: str, line: int, source: Source) -> None:
    if found.group(1):
        words = [
            next((group for group in match if group), "")
            for match in _STRING.findall(
                found.group(1) + statement[found.end() : found.end() + 400]
                if "[" in statement[found.end() - 2 : found.end() + 12]
                else found.group(1)
            )
        ]
        command = " ".join(words) if len(words) < 30 else ""
        if re.match(r"(?:/bin/)?(?:ba|z)?sh -c ", command):
            command = command.partition(" -c ")[2]
    else:
        command = found.group(2) or found.group(3) or ""
        if not re.match(r"\s*[\w./~-]+(?:\s|$)", command) or (
            found.group(3) and not re.search(r"\b(?:curl|wget|bash|sh|nc|base64|cat|env)\b", command)
        ):
            return
    command = re.sub(r"[#$]\{([^}]*)\}", "VALUE", command)
    if len(command) >= 3 and source.layers < MAX_LAYERS and re.search(r"[a-zA-Z]", command):
        source.can("runs", command.split()[0], line)
        scan_shell(command, source.nested(line + statement.count("\n", 0, found.start())))
