"""Judges settings of the whole machine that are changed by dedicated programs."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, parse
from hermes_guard.rules.family import Context
from hermes_guard.rules.writes.call_checks import (
    Order,
    always,
    anything,
    either,
    has_option,
    order,
    says,
    starts,
    unless,
)
from hermes_guard.rules.writes.rules import FAMILY, SETTING, SYSTEM
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding

_TIME = re.compile(r"\d{8,12}(?:\.\d\d)?\Z")
_INSTALL = re.compile(r"(?:\w+-)?(?:un)?install(?:-\w+)?\Z")


def _sets_time(options: Options) -> bool:
    return any(_TIME.match(word.raw) for word in options.operands)


def _links_libraries(options: Options) -> bool:
    # With both options it neither creates links nor writes the cache.
    return not (options.has("N") and options.has("X"))


def _assigns(options: Options) -> bool:
    return any("=" in word.raw[1:] for word in options.operands)


def _sets_power(options: Options) -> bool:
    return any(char.isdecimal() for word in options.operands for char in word.raw)


def _edits_boot(options: Options) -> bool:
    return any(word.raw in {"set", "unset", "create"} for word in options.operands)


def _installs(options: Options) -> bool:
    return any(_INSTALL.match(word.raw) for word in options.operands)


def _builds_install(options: Options) -> bool:
    return options.has("build") and any(
        word.raw == "install" for word in [*options.values("target", "t"), *options.operands]
    )


_MAKE = order(
    unless("n dry-run just-print recon", _installs),
    "C= f= I= j? l? o= W= n k s i e d B q t w S p r R v b m directory= file= makefile= include-dir= jobs? "
    "load-average? old-file= what-if= dry-run just-print recon keep-going silent quiet always-make",
)
_BUILDERS: dict[str, Order] = {
    **dict.fromkeys(("make", "gmake", "bmake"), _MAKE),
    "ninja": order(unless("n", _installs), "C= f= j= k= l= d= t= w= n v quiet verbose"),
    "cmake": order(
        either(has_option("install"), _builds_install),
        "install= build= target= t= prefix= config= component= j? parallel? S= B= G= C= T= A= P= D? U? v strip",
    ),
    "meson": order(unless("n dry-run", says("install")), "C= destdir= tags= n dry-run no-rebuild only-changed quiet"),
}
_SYSTEMD = "H= M= p= host= machine= property="
_SETTINGS: dict[str, Order] = {
    **_BUILDERS,
    **dict.fromkeys(("debconf-set-selections", "locale-gen", "newaliases"), order(always)),
    **dict.fromkeys(
        ("a2ensite", "a2dissite", "a2enmod", "a2dismod", "a2enconf", "a2disconf", "phpenmod", "phpdismod"),
        order(unless("h", anything)),
    ),
    "timedatectl": order(says("set-*", "ntp-servers*"), _SYSTEMD),
    "hostnamectl": order(
        says("set-*", "hostname *", "chassis *", "location *", "deployment *", "icon-name *"), _SYSTEMD
    ),
    "localectl": order(says("set-*"), _SYSTEMD),
    "hostname": order(either(has_option("F b file boot"), anything), "F= b file= boot"),
    "date": order(
        unless("j", either(has_option("s set"), _sets_time)),
        "d= f= r= s= v= z= I? u R j n date= file= reference= set= iso-8601? rfc-3339= rfc-email utc universal debug",
    ),
    "hwclock": order(has_option("w s systohc hctosys set adjust"), "f= w s r a rtc= date= systohc hctosys set adjust"),
    "ldconfig": order(
        unless("p print-cache V", _links_libraries), "C= f= r= c= n N X p v V l i print-cache format= verbose"
    ),
    "dpkg-reconfigure": order(unless("h", either(anything, has_option("a all"))), "f= p= frontend= priority= a all h"),
    "scutil": order(has_option("set prefs"), "set nc prefs get dns proxy r w t"),
    "systemsetup": order(starts("set"), single=True),
    "networksetup": order(starts("set", "add", "remove", "create", "delete", "switch"), single=True),
    "nvram": order(either(has_option("d c f"), _assigns), "d= f= c p x"),
    "pmset": order(unless("g", either(_sets_power, says("schedule", "repeat", "sleepnow"))), "g a b c u"),
    "postconf": order(has_option("e X M"), "c= C= e X M"),
    "netplan": order(says("apply", "set", "try")),
    "eselect": order(says("* set")),
    "efibootmgr": order(
        has_option(
            "c B o O n N a A t D create delete-bootnum bootorder delete-bootorder bootnext delete-bootnext active "
            "inactive timeout remove-dups"
        ),
        "b= d= e= l= L= o= n= t= p= m= M= i= c B O N a A D v u q bootnum= disk= part= label= loader= bootorder= "
        "bootnext= timeout= create delete-bootnum delete-bootorder delete-bootnext active inactive remove-dups",
    ),
    "grub-editenv": order(_edits_boot),
}


@FAMILY.judges(*_SETTINGS)
def settings(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about programs that change the whole machine; builds only when they install as root."""
    program = command.program or ""
    if command.contained or (program in _BUILDERS and not command.as_root):
        return
    spec, wanted = _SETTINGS[program]
    options = parse(command, spec)
    if not options.helps and wanted(options):
        yield SETTING.found(command, path=" ".join(word.raw for word in command.args)[:80])


_ALTERNATIVES = frozenset({"--install", "--set", "--config", "--remove", "--remove-all", "--auto", "--set-selections"})


@FAMILY.judges("update-alternatives", "alternatives")
def alternatives(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about programs that redefine a system command."""
    if any(word.raw in _ALTERNATIVES for word in command.args):
        yield SYSTEM.found(command, path="/etc/alternatives", why="the names of programs lead there")


@FAMILY.judges("dpkg-divert")
def diversions(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about diverting packaged files."""
    if any(word.raw in {"--add", "--remove", "--rename"} for word in command.args):
        yield SYSTEM.found(command, path="/var/lib/dpkg", why="it moves the files of packages")
