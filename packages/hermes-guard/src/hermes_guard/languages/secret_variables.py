"""Decides which environment variables are secrets and where they may be sent. Sending them to log in is ordinary."""

from hermes_guard import lazy_re as re

_SECRET = re.compile(
    r"(?:\A|_)(?:SECRETS?|PASSWORD|PASSWD|PASS|PASSPHRASE|PWD|TOKEN|API_?KEY|KEY|CREDENTIALS?|CREDS|PRIVATE|PAT)(?:_|\Z)"
    r"|DATABASE_URL|REDIS_URL|MONGO(?:DB)?_UR[IL]|SECRET|PASSWORD|TOKEN|APIKEY|CONNECTION_STRING|WEBHOOK_URL",
    re.IGNORECASE,
)
#: The name of a login field, directly before its value.
_FIELD = (
    r"(?:client_?secret|client_?id|secret|password|passwd|pass|pwd|access_?token|auth_?token|refresh_?token|token|"
    r"api_?key|apikey|appid|app_?id|app_?key|access_?key|key|auth|authorization|x-api-key|username|user|login|"
    r"assertion|subscription-key|bearer|credentials?)"
)
LOGIN_KEY = re.compile(rf"\W*{_FIELD}\W*\Z", re.IGNORECASE)
_LOGIN_BEFORE = re.compile(
    rf"(?:\A|[?&;,{{\s\"']){_FIELD}[\\\"']*\s*(?:=>|[=:])\s*[\\\"']*(?:bearer |basic |token )?\Z", re.IGNORECASE
)
_HEADER = re.compile(r"(?:bearer|basic|token|key|apikey|digest) ?\Z|authorization: ?\Z|x-[\w-]+: ?\Z", re.IGNORECASE)
#: Arguments that describe the caller to a server, such as headers.
HEADERS = re.compile(r"headers?|auth|authorization|cookies?|cert|verify|proxies|timeout|httpversion\Z", re.IGNORECASE)
#: A local address.
_HERE = re.compile(
    r"(?:\w+://)?(?:[^/@\s]*@)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\]|host\.docker\.internal|[\w-]+\.localhost)"
    r"(?=[:/?]|\Z)"
)
_HOST = re.compile(r"\w+://(?:[^/@\s]*@)?([^/:?#\s]+)")
#: Vendors whose host names differ from their own names.
_VENDORS = {
    "GH": "github",
    "AWS": "amazonaws",
    "GCP": "googleapis",
    "HF": "huggingface",
    "CF": "cloudflare",
    "DO": "digitalocean",
}


def secret(name: str) -> bool:
    """Return True when a variable of this name holds a secret."""
    return name not in {"PWD", "OLDPWD"} and _SECRET.search(name) is not None


def logs_in(before: str, name: str) -> bool:
    """Return True when the text directly before a secret makes it a login field or a header."""
    if name.upper().startswith("AWS_S"):
        return False
    return _LOGIN_BEFORE.search(before[-60:]) is not None or _HEADER.search(before[-40:]) is not None


def here(address: str) -> bool:
    """Return True for a local address."""
    return _HERE.match(address) is not None


def own_vendor(address: str, name: str) -> bool:
    """Return True when a secret's name says that it belongs to the host it is sent to."""
    found = _HOST.match(address)
    first = name.upper().partition("_")[0]
    vendor = _VENDORS.get(first, first.lower())
    return found is not None and len(vendor) > 2 and vendor in found.group(1).lower()
