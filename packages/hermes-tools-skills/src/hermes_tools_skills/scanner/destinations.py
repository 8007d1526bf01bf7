"""Decides where a secret may go: which hosts belong to which credential, and which hosts are known at all."""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from hermes_tools_skills.scanner.tables import load

HostKind = Literal["local", "placeholder", "known", "code", "drop", "unknown"]

#: Prefixes of names of credentials, and the domains of their vendors.

#: Names that hold a secret of the user even though they name no vendor: no skill needs to send them.
_PERSONAL = re.compile(
    r"(?i)SSH|PRIVATE_?KEY|WALLET|MNEMONIC|SEED|KUBECONFIG|DATABASE_URL|DB_PASS|PGPASSWORD|MYSQL_PWD|VAULT|SESSION_?ID"
    r"|COOKIE|MASTER_?KEY|ENCRYPTION_?KEY|^PASSWORD$|SUDO_PASS"
)
SECRET_NAME = re.compile(
    r"(?i)(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|AUTH|PAT|DSN|MNEMONIC|"
    r"COOKIE|KUBECONFIG)(?:_|$|S$)"
    r"|APIKEY|ACCESS_?KEY|PRIVATE_?KEY|(?:^|_)DATABASE_URL|WEBHOOK_URL"
)
#: Files that hold secrets, wherever they are named in text.
SECRET_PATH = re.compile(
    r"""(?ix)
    \.ssh(?:[/\\](?!known_hosts|config\b)|$|["']) | \bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)
    | \.aws[/\\](?:credentials|config)
    | \.aws[/\\]?$ | \.netrc\b | \.git-credentials | \.pypirc\b | \.npmrc\b | \.docker[/\\]config\.json
    | \.kube[/\\]config
    | \.gnupg | \.config[/\\]gcloud | application_default_credentials | \.azure[/\\] | \.config[/\\]gh[/\\]hosts
    | /etc/shadow | /etc/passwd | \.(?:bash|zsh|sh|psql|mysql|python|node_repl)_history | Login\ ?Data\b
    | key[34]\.db | logins\.json
    | cookies\.sqlite | [/\\]Cookies\b | Local\ State\b | login\.keychain | Keychains[/\\] | wallet\.dat
    | [/\\]keystore[/\\]
    | \.codex[/\\]auth\.json | \.claude[/\\]\.credentials | \.claude\.json
    | \.hermes[/\\](?:\.env|auth|config|mcp-tokens|memories)
    | \.openclaw[/\\] | (?:Exodus|Electrum|MetaMask|Phantom|nkbihfbeogaeaoehlefnkodbefgpgknn) | \.vault-token
    | \.terraform\.d[/\\]credentials
    | \.password-store | 1Password | Bitwarden | /proc/self/environ | /run/secrets/ | Telegram\ Desktop[/\\]tdata
    | Chrome[/\\]User\ Data
    | (?:^|[/\\"'\s~])\.env(?:\.(?:local|production|prod|development))?(?=$|["'\s)])
    | secrets?\.(?:ya?ml|json|toml)$ | \.config[/\\]solana
    """
)

#: Where anyone can leave or collect text without an account: paste sites, request collectors, tunnels, short links.
_DROP = re.compile(
    r"(?i)(?:^|\.)(?:pastebin|rentry|hastebin|ghostbin|paste|glot|dpaste|termbin|ix|0x0|transfer|file|anonfiles?|"
    r"gofile|catbox|"
    r"webhook|requestbin|pipedream|requestcatcher|beeceptor|hookbin|interact|oast|oastify|burpcollaborator|ngrok|"
    r"ngrok-free|trycloudflare|serveo|localtunnel|loca|bit|tinyurl|goo|is\.gd|t\.ly|cutt|shorturl|rebrand|"
    r"controlc|justpaste|"
    r"telegra|paste2|snippet|gist|toptal|privatebin|bashupload|temp|filebin|mockbin|canarytokens|dnslog|ceye)"
    r"\.(?:com|net|org|io|co|gg|me|ee|sh|st|us|ly|gl|lt|moe|site|fun|online|pro|app|dev|live|in|ph|cn|cc|tk|at|"
    r"invalid)$"
)
_LOCAL = re.compile(
    r"(?i)^(?:localhost|.*\.local|.*\.localhost|.*\.internal|host\.docker\.internal|127\.|0\.0\.0\.0|::1|\[::1\])"
)
_PLACEHOLDER = re.compile(
    r"(?i)(?:^|\.)(?:example\.(?:com|org|net|io)|example|test)$|^(?:your|my|the|some)[-_.]|your-|[-.](?:example|"
    r"placeholder)|"
    r"^[<{\[$%].*|^(?:host|hostname|domain|server|url|api|site|website|app|x|\.+|…)$|^(?:your\w*|yourdomain.*|"
    r"mysite.*|mydomain.*|acme\.com|.*\.acme\.com|company\.com|.*\.company\.com)$"
)
URL = re.compile(
    r"(?i)\b(?:https?|ftp|wss?|h..ps?)://(?:[^\s/@\"'`<>]*@)?(\[[0-9a-f:.]+\]|[^\s/\"'`<>()\\:?#,;|"
    r"\]\[]+)(?::\d+)?[^\s\"'`<>)\\|]*"
)
_GENERIC = frozenset(
    [
        "API",
        "KEY",
        "TOKEN",
        "SECRET",
        "ACCESS",
        "AUTH",
        "BEARER",
        "URL",
        "APP",
        "CLIENT",
        "PRIVATE",
        "PUBLIC",
        "USER",
        "PASSWORD",
        "BOT",
        "HTTP",
        "OAUTH",
        "PASS",
        "SERVICE",
    ]
)
HOLE = "\ufffc"


@lru_cache(maxsize=4096)
def classify_host(host: str) -> HostKind:
    """Return what is known about a host. `drop` hosts collect data or serve text from anyone."""
    host = host.strip("[].").lower()
    if not host or HOLE in host:
        return "placeholder"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return "local" if address.is_loopback or address.is_private or address.is_unspecified else "drop"
    if _LOCAL.match(host):
        return "local"
    if host.endswith(".onion") or _DROP.search(host):
        return "drop"
    if _PLACEHOLDER.search(host):
        return "placeholder"
    if _in(host, load("hosts")["code"]):
        return "code"
    return "known" if _in(host, load("hosts")["known"]) or host.endswith((".gov", ".edu")) else "unknown"


def _in(host: str, domains: Iterable[str]) -> bool:
    parts = host.split(".")
    return any(".".join(parts[at:]) in domains for at in range(len(parts)))


def hosts_in(text: str) -> list[str]:
    """Return the hosts of the URLs in a text, each once, in order."""
    return list(dict.fromkeys(found.group(1).lower() for found in URL.finditer(text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Destinations:
    """What a skill says about its credentials: declared hosts by name, and the text that documents it."""

    declared: Mapping[str, frozenset[str]] = field(default_factory=dict)
    documentation: str = ""

    def judge(self, secret: str, hosts: Iterable[str]) -> str:
        """Return the rule that sending a secret to these hosts breaks; empty when it is a capability to confirm.

        Args:
            secret: A label, such as `env:GITHUB_TOKEN`, `env:*`, `file:~/.ssh/id_rsa`.
            hosts: Where it goes. Without hosts the destination is not known.
        """
        kind, _, name = secret.partition(":")
        remote = [host for host in hosts if classify_host(host) not in {"local", "placeholder"}]
        if not remote:
            return ""
        if kind != "env" or name == "*":
            return "code.secret-flow"
        broken = {self._judge_host(name, host) for host in remote} - {""}
        return "code.secret-flow" if "code.secret-flow" in broken else next(iter(broken), "")

    def _judge_host(self, name: str, host: str) -> str:
        if any(host == entry for entry in self.declared.get(name.upper(), ())):
            return ""
        vendor = vendor_of(name)
        if vendor:
            if _in(host, vendor):
                return ""
            return "code.secret-flow"
        if _PERSONAL.search(name) or classify_host(host) == "drop":
            return "code.secret-flow"
        words = {word for word in re.split(r"[_\W]+", name.upper()) if len(word) > 2} - _GENERIC
        if any(word.lower() in host for word in words) or classify_host(host) == "known":
            return ""
        documented = host in self.documentation and re.search(
            rf"\b{re.escape(name)}\b", self.documentation, re.IGNORECASE
        )
        return "" if documented else "code.secret-undeclared"


def vendor_of(name: str) -> tuple[str, ...]:
    """Return the domains of the vendor of a credential; empty when the name says none."""
    upper = name.upper()
    return next((tuple(hosts) for prefix, hosts in load("hosts")["vendors"].items() if upper.startswith(prefix)), ())
