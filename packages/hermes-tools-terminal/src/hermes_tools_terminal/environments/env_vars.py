"""The environment variables that commands and scripts get: those that they need, and no others."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

_NAMES = frozenset(
    """
    PATH HOME USER LOGNAME SHELL HOSTNAME LANG LANGUAGE TZ TMPDIR TMP TEMP PWD EDITOR VISUAL PAGER COLUMNS LINES
    DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY
    VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONUTF8 PYTHONIOENCODING
    PYTHONDONTWRITEBYTECODE PIP_CACHE_DIR PIP_DISABLE_PIP_VERSION_CHECK UV_CACHE_DIR UV_PYTHON POETRY_HOME PIPX_HOME
    NVM_DIR NODE_ENV NODE_PATH NODE_OPTIONS PNPM_HOME COREPACK_HOME BUN_INSTALL DENO_DIR
    GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOPROXY GOTOOLCHAIN CARGO_HOME RUSTUP_HOME RUSTFLAGS CARGO_TARGET_DIR
    JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT
    RBENV_ROOT GEM_HOME GEM_PATH BUNDLE_PATH RVM_PATH DOTNET_ROOT DOTNET_CLI_TELEMETRY_OPTOUT
    CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS PKG_CONFIG_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH CUDA_HOME
    CUDA_VISIBLE_DEVICES HF_HOME CI DEBIAN_FRONTEND
    HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO
    HOMEBREW_PREFIX NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE NIX_USER_PROFILE_DIR
    KUBECONFIG DOCKER_HOST DOCKER_CONFIG AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION HERMES_HOME
    SystemRoot COMSPEC PATHEXT WINDIR
    """.split()  # noqa: SIM905 - one can read it
)
_BEGINNINGS = ("LC_", "XDG_", "GIT_AUTHOR_", "GIT_COMMITTER_")

# Keys of the services that agents use: no declaration passes these on.
_NEVER = re.compile(
    r"(?:OPENAI|ANTHROPIC|OPENROUTER|GEMINI|GOOGLE|GROQ|MISTRAL|DEEPSEEK|XAI|COHERE|TOGETHER|FIREWORKS|PERPLEXITY|NOUS|AZURE_OPENAI"
    r"|HUGGINGFACE|HF|REPLICATE|ELEVENLABS|FIRECRAWL|TAVILY|EXA|BRAVE|SERPER|PARALLEL|BROWSERBASE|HASS|TELEGRAM|DISCORD|SLACK|SIGNAL"
    r"|TWILIO|MODAL|DAYTONA|E2B|HONCHO|MEM0|FAL|WANDB|TINKER)_(?:[A-Z0-9_]*_)?(?:API_?KEY|TOKEN|SECRET|KEY|PASSWORD|TOKEN_ID|TOKEN_SECRET)"
    r"|AWS_BEARER_TOKEN_BEDROCK|SUDO_PASSWORD",
    re.ASCII,
)
_PASSWORD_IN_URL = re.compile(r"://[^/\s:@]*:[^/\s@]+@|https?://[^/\s@]+@", re.IGNORECASE)  # or a token as the user

_USUAL_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/opt/homebrew/bin")


def is_never_passed(name: str) -> bool:
    """Return whether a variable is never passed, whatever declares it."""
    return _NEVER.fullmatch(name) is not None


def command_variables(
    passed: Iterable[str] = (), *, environ: Mapping[str, str] | None = None, local: bool = True
) -> dict[str, str]:
    """Return the variables of a command.

    Args:
        passed: Additional names that the user passes.
        environ: The variables to choose from; those of this process by default.
        local: Whether the command runs on this machine; elsewhere only named variables are passed.
    """
    environ = os.environ if environ is None else environ
    declared = {name for name in passed if not is_never_passed(name)}
    found = {
        name: value
        for name, value in environ.items()
        if name in declared
        or (local and (name in _NAMES or name.startswith(_BEGINNINGS)) and not _PASSWORD_IN_URL.search(value))
    }
    if local:
        found["PATH"] = complete_path(found.get("PATH", ""))
        found["TERM"] = "dumb"
        found.setdefault("HOME", os.path.expanduser("~"))
    return found


def complete_path(path: str) -> str:
    """Return a search path without empty or duplicate entries, completed by the usual directories."""
    given = [part for part in path.split(":") if part]
    usual = [part for part in _USUAL_PATH if part not in given and os.path.isdir(part)]
    return ":".join(dict.fromkeys([*given, *usual]))


_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH|DSN|WEBHOOK", re.IGNORECASE)


def script_variables(passed: Iterable[str] = (), *, strict: bool = False) -> dict[str, str]:
    """Return the variables of a script: those of commands without likely secrets; a strict script gets no user
    modules.
    """
    declared = frozenset(passed)
    found = command_variables(declared)
    for name in [name for name in found if name not in declared]:
        if _SECRET_NAME.search(name) or (name.startswith("PYTHON") and (strict or name != "PYTHONPATH")):
            del found[name]
    for name in ("TMPDIR", "TMP", "TEMP"):
        if name in found and not (os.path.isabs(found[name]) and os.path.isdir(found[name])):
            del found[name]
    return found
