"""Scans shell code: the guard reads the commands, and what it reports is weighed by host, secret and role."""

import re
from collections.abc import Iterator

from hermes_tools_skills.scanner.destinations import SECRET_NAME, SECRET_PATH, URL, classify_host, hosts_in
from hermes_tools_skills.scanner.rules import guard_rule
from hermes_tools_skills.scanner.source import MAX_LAYERS, Lines, Source

#: The guard reads this much at once. Longer scripts are read in parts that end at blank lines.
_MAX_CHUNK = 6_000

_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w{2,})")
_FETCHER = re.compile(
    r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|http|nc|ncat|bitsadmin|certutil)\b", re.IGNORECASE
)
_SHELL = r"(?:(?:ba|z|k|da|c|tc|fi)?sh|python3?|perl|ruby|node|php|source|eval|exec|pwsh|iex)\b"
_DECODER = (
    r"(?:base64\b[^|;&\n]*(?:-d|-D|--decode)|base32\s+-d|xxd\b[^|;&\n]*-r|openssl\s+(?:enc|base64|"
    r"aes\S*)\b[^|;&\n]*-d|gunzip|gzip\s+-d\S*|zcat|bunzip2|xz\s+-d|uudecode|\brev\b|"
    r"tr\s+['\"]?[A-Za-z]-[A-Za-z]|certutil\s+-decode|perl\s+-MMIME|b64decode|fromhex|sed\s+['\"]?s/)"
)
_ENCODED_PIPE = re.compile(
    rf"{_DECODER}[^\n;&]{{0,400}}\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:\S*/)?{_SHELL}"
    rf"|(?:eval|source|\.|(?:ba|z)?sh\s+-c|exec|python3?\s+-c)\s+[\"']?(?:\$\(|`|<\()[^\n]{{0,2000}}?{_DECODER}"
    rf"|(?:ba|z|da)?sh\s+(?:<\(|<<<\s*[\"']?\$\()[^\n]{{0,2000}}?{_DECODER}"
    r"|^\s*(?:\$\(|`)[^\n]{0,2000}?(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r)",
    re.IGNORECASE | re.MULTILINE,
)
_ESCAPED_RUN = re.compile(
    r"(?:printf|echo\s+-e)\s+[\"']?(?:%b[\"'\s]+)?(?:\\x[0-9a-f]{2}|\\[0-7]{3}){6,}[^\n]{0,600}\|\s*(?:ba|z)?sh",
    re.IGNORECASE,
)
_LOCKED_ARCHIVE = re.compile(
    r"\b(?:unzip\s+[^\n;&|]*-P\s*\S+|7z[az]?\s+[xe]\s+[^\n;&|]*-p\S+|unrar\s+\S+\s+[^\n;&|]*-p\S+|"
    r"openssl\s+(?:enc|aes\S*)\s[^\n;&|]*-d[^\n;&|]*(?:-k|-pass)\b)",
    re.IGNORECASE,
)
_DNS = re.compile(
    r"\b(?:nslookup|dig|host|drill|resolvectl|ping)\b[^\n;&|]{0,200}(?:\$\(|`|\$\{?\w+)[^\n;&|]{0,"
    r"300}\.[a-z][\w-]*\.[a-z]{2,}",
    re.IGNORECASE,
)
_DNS_BENIGN = re.compile(
    r"\$\{?(?:domain|host|hostname|sub\w*|name|site|server|fqdn|url|record|zone|d|h)\b", re.IGNORECASE
)
_UPLOAD = re.compile(
    r"\bcurl\b[^\n;|]*\s(?:-F|--form|-T|--upload-file|--data-binary|-d|--data(?:-\w+)?)\s*\S*[@$`]|\bnc\b[^\n]*<|"
    r"\bscp\b|\brsync\b[^\n]*:|wget\b[^\n]*--post-(?:file|data)",
    re.IGNORECASE,
)
_REMOTE_LATER = re.compile(
    r"https?://|\b(?:curl|wget|nc|ncat|base64|nohup|socat|python3?\s+-c|eval|exec)\b|/dev/tcp|/tmp/|"
    r"\.\w+/\S*(?:sh|py)\b",
    re.IGNORECASE,
)
_RC_BENIGN = re.compile(
    r"export\s+\w*(?:PATH|HOME|EDITOR|LANG|KEY|TOKEN|DIR|ROOT)\w*=|\balias\s+\w+=|\bPATH=|completion|"
    r"eval\s+\\?[\"']?\\?\$\(\s*\S+\s+(?:init|hook|activate|env|completion|shellenv)|source\s+\S+|fpath=|autoload|"
    r"compinit|\. [\"']?\$",
    re.IGNORECASE,
)
_PLACEHOLDER_IP = re.compile(
    r"(?i)\b(?:attacker|your|lhost|rhost|listener|example|10\.0\.0\.\d+|192\.168\.\d+\.\d+|127\.0\.0\.1|<[^>]+>)"
)
_MINER = re.compile(
    r"(?i)\bxmrig\b|stratum\+(?:tcp|ssl)://|\b(?:minerd|cpuminer|ethminer|nbminer|t-rex)\b\s+-|--donate-level|"
    r"\bmoneroocean\b"
)
_WEAKENS = re.compile(
    r"(?i)spctl\s+--master-disable|csrutil\s+disable|set-mppreference\s[^\n]*-disable|"
    r"add-mppreference\s[^\n]*-exclusion|setenforce\s+0|ufw\s+disable|"
    r"iptables\s+-F|systemctl\s+(?:stop|disable)\s+(?:firewalld|apparmor|auditd|clamav\S*|falcon\S*)|"
    r"unset\s+HISTFILE|HISTFILE=/dev/null|history\s+-c|set\s+\+o\s+history|NODE_TLS_REJECT_UNAUTHORIZED=0|"
    r"set-executionpolicy\s+(?:bypass|unrestricted)"
)


def scan_shell(text: str, source: Source) -> None:
    """Scan shell code, as a whole or in parts."""
    _scan_patterns(text, source)
    for line, chunk in _chunks(text):
        found = source.judge_shell(chunk)
        if found is None:
            source.recorder.add("content.unread", source.file, source.line + line, "too much shell code", None)
            return
        _weigh_chunk(chunk, line, found, source)
    _scan_flows(text, source)


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    """Yield parts of a script that the guard can read, with their lines."""
    if len(text) <= _MAX_CHUNK:
        yield 0, text
        return
    part: list[str] = []
    size, begin = 0, 0
    for at, line in enumerate(text.split("\n")):
        if part and (size + len(line) > _MAX_CHUNK or (size > _MAX_CHUNK // 2 and not line.strip())):
            yield begin, "\n".join(part)
            part, size, begin = [], 0, at
        part.append(line)
        size += len(line) + 1
    yield begin, "\n".join(part)


def _weigh_chunk(chunk: str, line: int, found: list[tuple[str, int, int]], source: Source) -> None:
    for name, start, end in found:
        at = line + chunk.count("\n", 0, start)
        rule = guard_rule(name, documented=source.documented)
        _weigh(rule, name, chunk[start:end], _statement(chunk, start, end), chunk, at, source)
    for host in hosts_in(chunk):
        source.connects(
            host,
            line + chunk.count("\n", 0, chunk.lower().find(host)),
            uploads=bool(_UPLOAD.search(chunk)) and not source.documented,
        )


def _statement(chunk: str, start: int, end: int) -> str:
    """Return the lines that a finding is about, with those that continue them."""
    begin = chunk.rfind("\n", 0, start) + 1
    while begin > 1 and chunk[begin - 2] == "\\":
        begin = chunk.rfind("\n", 0, begin - 1) + 1
    stop = chunk.find("\n", end)
    return chunk[begin : stop if stop >= 0 else len(chunk)]


def _weigh(rule: str, name: str, span: str, statement: str, chunk: str, at: int, source: Source) -> None:
    statement = _expand(statement, chunk)
    hosts = hosts_in(statement) or bare_hosts(statement) or hosts_in(chunk)
    if rule in {"code.fetched", "code.package-source"}:
        return _weigh_download(rule, name, hosts, statement, at, source)
    if rule == "code.secret-flow":
        return _weigh_flow(statement, chunk, hosts, at, source)
    if rule == "code.secret-dns":
        if all(classify_host(host) in {"placeholder", "local"} for host in bare_hosts(statement)) and bare_hosts(
            statement
        ):
            rule = "code.mention"
    elif rule == "code.persistence":
        if (
            name == "write.startup"
            and _RC_BENIGN.search(statement)
            and not _FETCHER.search(_RC_LOADER.sub("", statement))
        ):
            rule = "code.risky"
        elif _REMOTE_LATER.search(statement) and (
            _FETCHER.search(statement) or "base64" in statement or "/dev/tcp" in statement
        ):
            rule = "code.persistence-remote"
    elif rule == "code.login-key":
        if "authorized_keys" not in statement or (
            source.documented and not re.search(r"ssh-(?:ed25519|rsa)\s+\S|https?://", statement)
        ):
            rule = "code.risky"
    elif rule == "code.reverse-shell" and _PLACEHOLDER_IP.search(statement) and source.documented:
        rule = "code.mention"
    elif rule == "code.mention" and name in {
        "write.agent-config",
        "write.startup",
        "persistence.schedule",
        "persistence.autostart",
        "write.runs-later",
    }:
        if _FETCHER.search(statement) and any(classify_host(host) in {"unknown", "drop"} for host in hosts):
            rule = "code.persistence-remote"
        elif name == "write.agent-config" and (set(map(classify_host, hosts)) & {"unknown", "drop"}):
            rule = "code.agent-config"
    if rule == "code.unknown-shell" and source.role == "hook" and _FETCHER.search(statement):
        rule = "code.fetched"
    if name in {"shell.unreadable", "shell.too-long", "shell.unknown-state", "shell.unknown-command", "text.deceptive"}:
        if name == "text.deceptive" and source.role != "doc" and ("name" in span or not span.isascii()):
            rule = "code.computed-name"
        else:
            return None
    source.find(rule, at, f"{span.strip()[:120]} ({name})")
    return None


def _expand(statement: str, chunk: str) -> str:
    """Replace variables by the constants that are assigned to them."""
    if "$" not in statement:
        return statement
    values = {
        name: value.split("#")[0].strip().strip("\"'") for name, value in _ASSIGNED.findall(chunk.replace(";", "\n"))
    }
    return _VARIABLES.sub(lambda found: values.get(found.group(1), found.group())[:300], statement)


_VARIABLES = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_RC_LOADER = re.compile(r"\$\(\s*[\w./-]+\s+(?:init|hook|shellenv)[^)]*\)")
_BARE = re.compile(
    r"(?i)(?<![\w.@/-])((?:[a-z0-9-]+\.)+(?:invalid|com|net|org|io|dev|xyz|app|site|online|top|ru|cn|me|co|sh|gg|"
    r"tk|cc|info|biz|pw)|\d{1,3}(?:\.\d{1,3}){3})(?![\w.-]*\()"
)


def bare_hosts(text: str) -> list[str]:
    """Return the hosts that are written without a scheme."""
    return list(dict.fromkeys(found.group(1).lower() for found in _BARE.finditer(text)))


def _weigh_download(rule: str, name: str, hosts: list[str], statement: str, at: int, source: Source) -> None:
    kinds = {classify_host(host) for host in hosts}
    if not source.documented and any(host.startswith(("$", "{", "%")) for host in hosts):
        # A script that builds the address hides where the code comes from.
        kinds.add("unknown")
    detail = f"{', '.join(hosts) or statement.strip()[:100]} ({name})"
    source.can("runs downloads", ", ".join(hosts) or "an address that is known when it runs", at)
    if not kinds and (source.documented or (name == "package.look-alike" and "-r" in statement)):
        source.find("code.installer", at, detail)
    elif kinds & {"unknown", "drop"}:
        source.find(rule, at, detail)
    elif kinds and kinds <= {"known", "local", "placeholder"}:
        source.find("code.installer", at, detail)
    elif "code" in kinds:
        source.find("code.hook-suspicious" if source.role == "hook" else "code.installer", at, detail)
    else:
        source.find(rule, at, detail)


def secret_labels(text: str) -> set[str]:
    """Return the secrets that a piece of shell code names."""
    labels = {f"env:{name}" for name in _VARIABLE.findall(text) if SECRET_NAME.search(name)}
    labels |= {f"file:{found.group().strip()}" for found in SECRET_PATH.finditer(text)}
    if _WHOLE_ENVIRONMENT.search(text):
        labels.add("env:*")
    return labels


_WHOLE_ENVIRONMENT = re.compile(
    r"(?:^|[\s;&|(`])(?:env|printenv|export\s+-p|set|declare\s+-x)\s*(?:\||\)|`|>|$)|/proc/self/environ", re.MULTILINE
)


def _weigh_flow(statement: str, chunk: str, hosts: list[str], at: int, source: Source) -> None:
    labels = secret_labels(statement) or secret_labels(chunk)
    targets = [*dict.fromkeys([*hosts_in(statement), *bare_hosts(URL.sub(" ", statement))])] or hosts
    if labels and targets:
        source.sends(labels, targets, at)
    elif targets and any(classify_host(host) in {"unknown", "drop"} for host in targets):
        source.find("code.secret-flow", at, f"{statement.strip()[:100]}")
    else:
        source.find("code.risky", at, f"{statement.strip()[:100]} (secret.upload)")


_ASSIGNED = re.compile(r"(?m)^[ \t]*(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=([^\n]*)")
_NETWORK = re.compile(
    r"\b(?:curl|wget|nc|ncat|socat|ssh|scp|rsync|ftp|sftp|telnet|openssl\s+s_client|http|https|xh)\b|/dev/(?:tcp|udp)/"
)


def _scan_flows(text: str, source: Source) -> None:
    """Follow variables from secrets to the network, which works however long and unreadable the script is."""
    joined = text.replace("\\\n", "  ")
    known: dict[str, set[str]] = {}
    values: dict[str, str] = {}
    for name, value in _ASSIGNED.findall(joined):
        values[name] = values.get(name, "") + " " + value[:500]
        labels = secret_labels(value) | {label for other in _VARIABLE.findall(value) for label in known.get(other, ())}
        known.setdefault(name, set()).update(labels)
    for label in sorted(secret_labels(joined)):
        at = joined.find(label.partition(":")[2])
        source.reads_secret(label, joined.count("\n", 0, max(at, 0)))
    files = _written_files(joined, known)
    for at, line in enumerate(joined.split("\n")):
        if not _NETWORK.search(line) or line.lstrip().startswith("#"):
            continue
        names = _VARIABLE.findall(line)
        labels = secret_labels(line) | {label for name in names for label in known.get(name, ())}
        labels |= {label for file, found in files.items() if file in line for label in found}
        expanded = line + "".join(values.get(name, "") for name in names)
        targets = list(dict.fromkeys([*hosts_in(expanded), *bare_hosts(URL.sub(" ", expanded))]))
        if labels and targets:
            source.sends(labels, targets, at)


_WRITTEN = re.compile(r">{1,2}\s*([\"']?[\w./~${}-]{3,}[\"']?)|\b(?:tar|zip)\s+(?:-?\w+\s+)?([\w./~${}-]+)")


def _written_files(text: str, known: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the files that secrets are written into."""
    files: dict[str, set[str]] = {}
    for line in text.split("\n"):
        labels = secret_labels(line) | {label for name in _VARIABLE.findall(line) for label in known.get(name, ())}
        labels = {label for label in labels if not label.startswith("env:") or label == "env:*"}
        if labels:
            for found in _WRITTEN.finditer(line):
                files.setdefault((found.group(1) or found.group(2)).strip("\"'"), set()).update(labels)
    return {file: labels for file, labels in list(files.items())[:50] if file != "/dev/null"}


def _scan_patterns(text: str, source: Source) -> None:
    """Find what is dangerous in any position: decoding into a shell, locked archives, data in DNS names."""
    lines = Lines(text)
    for pattern in (_ENCODED_PIPE, _ESCAPED_RUN):
        for found in pattern.finditer(text):
            if not _SED_ONLY.search(found.group()):
                source.find("code.encoded", lines.at(found.start()), found.group().strip()[:120])
    scan_fetch_and_run(text, source)
    for found in _LOCKED_ARCHIVE.finditer(text):
        if hosts_in(text) or re.search(r"(?m)\./\S|\bopen\b|\bsh\b|chmod", text):
            source.find("text.fake-prerequisite", lines.at(found.start()), found.group()[:100])
    for found in _DNS.finditer(text):
        if not (_DNS_BENIGN.search(found.group()) and "$(" not in found.group() and "`" not in found.group()):
            host = bare_hosts(found.group())
            if not host or any(classify_host(name) not in {"placeholder", "local"} for name in host):
                source.find("code.secret-dns", lines.at(found.start()), found.group()[:100])
    if miner := _MINER.search(text):
        source.find("code.miner", lines.at(miner.start()), miner.group())
    for found in _WEAKENS.finditer(text):
        source.find("code.mention" if source.documented else "code.weakens", lines.at(found.start()), found.group())
    for found in _FORM_UPLOAD.finditer(text):
        drops = [host for host in hosts_in(found.group()) if classify_host(host) == "drop"]
        if drops:
            source.find(
                "code.secret-flow",
                lines.at(found.start()),
                f"files to {', '.join(drops)}",
                "caution" if not source.documented else None,
            )
    if source.layers > MAX_LAYERS:
        source.find("code.encoded", 0, "too many layers of encoding")


_SED_ONLY = re.compile(r"^sed\s[^|]*\|\s*(?:source|exec|eval)?\s*$")
#: Fetching and running in PowerShell, and shells whose name is not written out.
_FETCH_AND_RUN = re.compile(
    r"(?i)\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|DownloadString|DownloadData)\b[^\n]{0,400}?\|\s*(?:iex|"
    r"invoke-expression)\b"
    r"|\b(?:iex|invoke-expression)\b[^\n]{0,80}?\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|webclient|"
    r"downloadstring)\b[^\n]{0,300}"
    r"|\s-\w*c\s+[\"']?(?:\$\(|`)\s*(?:curl|wget)\b[^\n]{0,400}"
    r"|\b(?:mshta|regsvr32|rundll32)\b[^\n]{0,80}https?://[^\n]{0,200}"
)


def scan_fetch_and_run(text: str, source: Source) -> None:
    """Find commands in any language that run what they fetch."""
    lines = Lines(text)
    for found in _FETCH_AND_RUN.finditer(text):
        hosts = hosts_in(found.group())
        _weigh_download("code.fetched", "fetch and run", hosts, found.group(), lines.at(found.start()), source)


_FORM_UPLOAD = re.compile(r"\bcurl\b[^\n]*(?:-F\s*\S*=@|-T\s|--upload-file\s|--data-binary\s+@)[^\n]*")
