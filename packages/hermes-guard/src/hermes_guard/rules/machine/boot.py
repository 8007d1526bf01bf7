"""Judges what the machine boots: boot loaders, firmware and the initial file system."""

from collections.abc import Iterator

from hermes_guard.rules.common.argument_checks import (
    ALWAYS,
    ANY,
    Check,
    any_word,
    assigns,
    findings,
    flag,
    flag_like,
    flag_starts,
    verb,
    words,
)
from hermes_guard.rules.family import Context
from hermes_guard.rules.machine.rules import BOOT, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_LOADERS: dict[str, Check] = {
    **dict.fromkeys(
        (
            "update-grub",
            "update-grub2",
            "grub-install",
            "grub2-install",
            "grub-set-default",
            "grub-reboot",
            "update-initramfs",
            "mkinitcpio",
            "mkinitramfs",
            "update-secureboot-policy",
            "installkernel",
            "grub-mkstandalone",
            "extlinux",
            "update-systemd-boot",
            "flash-kernel",
            "rpi-update",
            "refind-install",
        ),
        ALWAYS,
    ),
    **dict.fromkeys(("grub-mkconfig", "grub2-mkconfig"), flag_starts("-o --output")),
    **dict.fromkeys(("grub-editenv", "grub2-editenv"), ~any_word("list")),
    "bcdedit": ANY & ~Check(lambda given: "/enum" in given.texts),
    "bless": ~flag("--info -info"),
    "kernelstub": ANY & ~flag("-p --print-config -h --help -y --dry-run --version"),
    "bootc": verb("switch upgrade update rollback install edit"),
    "bputil": ANY & ~flag("-d --display-all-policies -h --help"),
    "bootctl": words(1) & ~verb("status list is-installed kernel-identify kernel-inspect"),
    "csrutil": words(1) & ~verb("status report"),
    "dracut": ~flag("--list-modules"),
    "efibootmgr": flag_like(
        r"-\w*[BbcCnNoOtTaALd]|--(?:delete|create|bootnext|bootorder|active|inactive|timeout)",
    ),
    "flashrom": flag_like(r"-[wE]|--(?:write|erase)"),
    "fwupdmgr": verb("update install downgrade reinstall activate unlock upgrade"),
    "grubby": flag_like(r"--(?:remove|add|set|update|default-kernel=|args|make)"),
    **dict.fromkeys(("nixos-rebuild", "darwin-rebuild"), verb("switch boot test activate")),
    "fwupdtool": verb("install install-blob update downgrade reinstall activate"),
    "raspi-config": any_word("nonint") & ~Check(lambda given: any(text.startswith("get_") for text in given.words)),
    "rpi-eeprom-update": flag("-a -d -r -f"),
    "startosinstall": ALWAYS,
    "kernel-install": ~verb("list inspect"),
    "lilo": ~flag("-t -q"),
    "mokutil": flag_like(r"--(?:disable|enable|import|delete|reset|password|clear)"),
    "nvram": flag("-c -d -f") | assigns(),
    "pmset": words(1) & ~flag("-g"),
    "sbctl": words(1) & ~verb("status verify list-files"),
    "spctl": flag("--master-disable --global-disable --add --remove --disable"),
    "systemsetup": flag_starts("-set -remove"),
}


@FAMILY.judges(*_LOADERS)
def boot(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about changing what the machine boots."""
    yield from findings(BOOT, command, _LOADERS)
