"""Detects a service's key that is sent to another service."""

from collections.abc import Iterable

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.shell.word import HOLE, Word

#: Services whose host names contain their own name.
_PLAIN = names(
    """
    SLACK STRIPE TWILIO SENDGRID MAILGUN CLOUDFLARE DIGITALOCEAN HEROKU VERCEL NETLIFY DATADOG SENTRY TELEGRAM DISCORD
    SUPABASE MISTRAL COHERE GROQ REPLICATE DEEPSEEK OPENROUTER PINECONE ALGOLIA SHOPIFY LINEAR NOTION BITBUCKET CIRCLECI
    TERRAFORM PULUMI RAILWAY RENDER HETZNER LINODE VULTR TAVILY SERPAPI PERPLEXITY TOGETHER ELEVENLABS PAYPAL SQUARE
    PLAID COINBASE BINANCE OKTA AUTH0 NGROK TAILSCALE
    """
)
#: By the first part of a variable's name: parts of the service's own host names.
_HOSTS = {
    "AWS": "amazonaws aws",
    "GITHUB": "github ghcr ghe",
    "GH": "github ghcr ghe",
    "GITLAB": "gitlab git.",
    "NPM": "npm",
    "NODE": "npm",
    "OPENAI": "openai azure",
    "ANTHROPIC": "anthropic claude",
    "CLAUDE": "anthropic claude",
    "GEMINI": "google",
    "GOOGLE": "google gcr",
    "GCP": "google",
    "FIREBASE": "google firebase",
    "HF": "huggingface hf.",
    "HUGGINGFACE": "huggingface hf.",
    "CF": "cloudflare",
    "DO": "digitalocean",
    "DD": "datadog",
    "TG": "telegram",
    "BOT": "telegram discord slack",
    "PYPI": "pypi",
    "TWINE": "pypi",
    "DOCKER": "docker",
    "DOCKERHUB": "docker",
    "AZURE": "azure microsoft windows.net",
    "ARM": "azure microsoft windows.net",
    "XAI": "x.ai",
    "FLY": "fly.",
    "JIRA": "jira atlassian",
    "ATLASSIAN": "jira atlassian",
    "SNOWFLAKE": "snowflake",
    **{name: name.lower() for name in _PLAIN},
}
_KEY = re.compile(
    rf"\$\{{?((?:{'|'.join(sorted(_HOSTS))})_(?:\w+_)?(?:KEY|TOKEN|SECRET|PASSWORD|PAT|KEY_ID)|AWS_SECRET_ACCESS_KEY|"
    r"AWS_SESSION_TOKEN|SSH_PRIVATE_KEY|DATABASE_URL)\b(?!\}?:[0-9?+])"
)
#: Keys that sign or connect, and are never sent to a web server.
_NEVER_SHOWN = frozenset({"AWS_SECRET_ACCESS_KEY", "SSH_PRIVATE_KEY", "DATABASE_URL"})
_HOST = re.compile(r"(?:[a-z][\w+.-]*://)?(?:[^/@\s]*@)?([^/:?#\s]+)", re.IGNORECASE)
_OWN_NETWORK = re.compile(
    r"[\w-]+\Z|.*\.(?:local|internal|corp|lan|home|test|svc|intranet)\Z|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\."
)
#: An API proxy is called with the key of that API.
_INTERFACE = re.compile(r"/(?:api|v\d+|graphql|rest|openai|anthropic)(?:/|\Z|\?)|://api\.")


def known_keys(word: Word) -> list[str]:
    """Return the service keys that a word reads from the environment."""
    return _KEY.findall(word.source[:4000]) if HOLE in word.raw else []


def misplaced(words: Iterable[Word], urls: list[Word], *, header: bool = False) -> str:
    """Return the name of a key in these words that is sent to another party's host, or an empty string."""
    keys = [key for word in words for key in known_keys(word)]
    if not keys:
        return ""
    for url in urls:
        found = _HOST.match(url.raw)
        host = found.group(1).lower() if found else ""
        if not host or HOLE in host or _OWN_NETWORK.match(host):
            continue
        for key in keys:
            own = _HOSTS.get(key.partition("_")[0], "").split()
            if any(part in host for part in own):
                continue
            if not header or key in _NEVER_SHOWN or not _INTERFACE.search(url.raw[:400]):
                return f"{key} to {host}"
    return ""
