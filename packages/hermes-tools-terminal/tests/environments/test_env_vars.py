"""Which variables commands see."""

from __future__ import annotations

import pytest

from hermes_tools_terminal.environments.env_vars import command_variables, complete_path, is_never_passed

KEYS = """
OPENAI_API_KEY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN OPENROUTER_API_KEY GEMINI_API_KEY GOOGLE_API_KEY GROQ_API_KEY
HF_TOKEN HUGGINGFACE_TOKEN TELEGRAM_BOT_TOKEN DISCORD_BOT_TOKEN SLACK_APP_TOKEN MODAL_TOKEN_ID MODAL_TOKEN_SECRET
DAYTONA_API_KEY FIRECRAWL_API_KEY EXA_API_KEY FAL_KEY ELEVENLABS_API_KEY AWS_BEARER_TOKEN_BEDROCK SUDO_PASSWORD
AZURE_OPENAI_API_KEY NOUS_API_KEY TWILIO_AUTH_TOKEN HASS_TOKEN
""".split()  # noqa: SIM905 - one can read it


@pytest.mark.parametrize("name", KEYS)
def test_keys_of_services_stay_here_even_when_they_are_declared(name: str) -> None:
    assert is_never_passed(name)
    assert name not in command_variables([name], environ={name: "secret"})
    assert name not in command_variables([name], environ={name: "secret"}, local=False)


@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "DATABASE_URL", "MY_FLAG", "AWS_SECRET_ACCESS_KEY"])
def test_others_are_passed_when_they_are_declared_and_only_then(name: str) -> None:
    assert name not in command_variables(environ={name: "x"})
    assert command_variables([name], environ={name: "x"})[name] == "x"
    assert command_variables([name], environ={name: "x"}, local=False) == {name: "x"}


@pytest.mark.parametrize("name", ["LANG", "LC_ALL", "XDG_RUNTIME_DIR", "VIRTUAL_ENV", "http_proxy", "SSH_AUTH_SOCK"])
def test_what_programs_need_is_passed(name: str) -> None:
    assert command_variables(environ={name: "x"})[name] == "x"
    assert command_variables(environ={name: "x"}, local=False) == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTPS_PROXY", "http://user:password@proxy:3128"),
        ("GOPROXY", "https://token@goproxy.example"),
        ("NIX_CONFIG", "access-tokens = github.com=ghp_x"),
        ("BASH_ENV", "/tmp/x"),
        ("BASH_FUNC_ls%%", "() { evil; }"),
        ("LD_PRELOAD", "/tmp/x.so"),
        ("PROMPT_COMMAND", "evil"),
        ("PS4", "$(evil)"),
        ("SHELLOPTS", "xtrace"),
    ],
)
def test_what_carries_a_password_or_changes_shells_is_not_passed(name: str, value: str) -> None:
    assert name not in command_variables(environ={name: value})


def test_a_user_in_another_kind_of_address_is_no_password() -> None:
    assert command_variables(environ={"DOCKER_HOST": "ssh://me@host"})["DOCKER_HOST"] == "ssh://me@host"


def test_the_search_path_has_the_usual_folders_and_nothing_twice_or_empty() -> None:
    parts = complete_path("/mine::/usr/bin:/mine").split(":")
    assert parts[:2] == ["/mine", "/usr/bin"]
    assert "/bin" in parts
    assert "" not in parts
    assert len(parts) == len(set(parts))


def test_a_command_always_has_a_home_and_a_plain_terminal() -> None:
    found = command_variables(environ={})
    assert found["HOME"]
    assert found["TERM"] == "dumb"
