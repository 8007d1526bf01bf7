"""The settings `skills.hub`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr

GITHUB_API, GITHUB_RAW = "https://api.github.com", "https://raw.githubusercontent.com"
CLAWHUB, LOBEHUB = "https://clawhub.ai", "https://chat-agents.lobehub.com"


def _secret(variable: str, description: str) -> Any:
    return Field(default=SecretStr(""), description=description, json_schema_extra={"x-env": variable})


class HubSettings(BaseModel):
    """Where users find and install skills, and what is accepted."""

    model_config = ConfigDict(extra="forbid")

    github_api_url: str = Field(default=GITHUB_API, description="The base URL of the GitHub API.")
    github_raw_url: str = Field(default=GITHUB_RAW, description="The base URL of files on GitHub.")
    github_token: SecretStr = _secret("GITHUB_TOKEN", "A token for GitHub: more requests, and private repositories.")
    github_app_id: str = Field(default="", description="The id of a GitHub App, used when there is no token.")
    github_app_installation: str = Field(default="", description="The id of the installation of the GitHub App.")
    github_app_key_file: str = Field(default="", description="The file with the private key of the GitHub App (PEM).")
    clawhub_url: str = Field(default=CLAWHUB, description="The base URL of ClawHub.")
    lobehub_url: str = Field(default=LOBEHUB, description="The base URL of the index of LobeHub.")
    own_servers: list[str] = Field(
        default=[],
        description="Servers in private networks from which skills may be installed, as scheme, host and port.",
        examples=[["https://skills.corp.example:8443"]],
    )
    trusted_repositories: list[str] = Field(
        default=["anthropics/skills", "huggingface/skills", "NVIDIA/skills", "openai/skills"],
        description="Repositories on GitHub whose default branch has the trust level 'trusted'.",
    )
    cache_minutes: int = Field(default=60, ge=0, description="How long catalogs of sources are cached, in minutes.")
    max_files: int = Field(default=2_000, ge=1, le=4_000, description="The maximum number of files of a skill.")
    max_mb: int = Field(default=50, ge=1, le=64, description="The maximum size of a skill, in MiB.")
    seconds: float = Field(default=60.0, gt=0, le=600, description="The time limit of one request, in seconds.")
    search_seconds: float = Field(default=30.0, gt=0, le=300, description="The time limit of a search, in seconds.")
