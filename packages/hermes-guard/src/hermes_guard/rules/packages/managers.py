"""Judges package managers with a verb that removes."""

from collections.abc import Iterator, Mapping

from hermes_guard import lazy_re as re
from hermes_guard.argv import Options, Spec, parse
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.packages.rules import FAMILY, REMOVE, SOURCE
from hermes_guard.shell.command import Command
from hermes_guard.verdict import Finding


def by_program(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Parse a table in which `a b` names two programs, and `x|y z` the verb `x` and the pair of words `y z`."""
    return {program: names(verbs, "|") for programs, verbs in table.items() for program in programs.split()}


_APT = Spec(
    "y q s d V m f t= o= c= a= yes assume-yes quiet simulate dry-run just-print no-act recon print-uris "
    "download-only purge auto-remove autoremove fix-broken reinstall no-install-recommends "
    "install-recommends target-release= default-release= option= config-file= allow-unauthenticated "
    "allow-downgrades allow-remove-essential allow-change-held-packages force-yes "
    "allow-insecure-repositories no-upgrade only-upgrade help version h"
)
_ANY = Spec(
    "y n q v f s h yes assumeyes assumeno dry-run test simulate no-act force quiet verbose help version g "
    "global global-env a all p= prefix= r= releasever= enablerepo= disablerepo= c= config= R= root= "
    "installroot= zap ignore-dependencies delete-data user system nogpgcheck no-gpg-checks allow-untrusted "
    "force-refresh purge d delete-old"
)
#: Verbs that remove packages, by manager.
_REMOVES = by_program(
    {
        "apt apt-get aptitude nala apt-fast": (
            "remove|purge|autoremove|autopurge|full-upgrade|dist-upgrade|auto-remove|safe-remove"
        ),
        "dnf yum microdnf dnf5 tdnf": "remove|erase|autoremove|rm|distro-sync|system-upgrade",
        "zypper": "rm|remove|dup|dist-upgrade|removerepo|rr|removelock",
        "apk": "del",
        "brew": "uninstall|remove|rm|autoremove|untap",
        "snap": "remove|revert|disable",
        "flatpak": "uninstall|remove|repair-remove|remote-delete",
        "port": "uninstall|reclaim",
        "pkg": "delete|remove|autoremove|uninstall|purge",
        "opkg equo pamac tlmgr pkcon tazpkg cards spkg prt-get luarocks vcpkg jenv phpbrew juliaup tasksel": "remove",
        "eopkg pkgin": "remove|rm|autoremove",
        "slackpkg": "remove|clean-system",
        "swupd": "bundle-remove",
        "guix": "remove",
        "mas choco scoop gem cargo spack cave pkgman jabba deno nodenv goenv tfenv tgenv vfox proto": "uninstall",
        "swiftenv swiftly apm dvm g luaver plenv perlbrew": "uninstall",
        "rtx": "uninstall|implode",
        "rvm gvm": "remove|uninstall|implode",
        "ghcup": "rm|nuke|uninstall",
        "n nodebrew": "rm|uninstall|prune",
        "home-manager": "uninstall|remove-generations|expire-generations",
        "nh": "clean",
        "kiss": "remove|r",
        "pkgx pkgm": "uninstall|rm",
        "haxelib": "remove",
        "winget": "uninstall|remove|rm",
        "pipx": "uninstall|uninstall-all",
        "nvm fnm volta pyenv rbenv sdkman": "uninstall",
        "sdk": "uninstall|rm",
        "mise": "uninstall|implode",
        "opam": "remove|uninstall",
        "asdf": "uninstall|plugin-remove",
        "rpm-ostree": "uninstall|reset|rollback|cleanup|override",
        "transactional-update": "rollback",
    }
)
#: Programs that always remove.
_ONLY_REMOVE = frozenset({"urpme", "xbps-remove", "removepkg", "pkg_delete", "pkgrm", "swremove", "pip-autoremove"})
#: Pairs of words that remove packages, by manager.
_PAIRS = by_program(
    {
        "dnf yum dnf5": (
            "history undo|history rollback|module remove|module reset|group remove|groups remove|repo remove"
        ),
        "rustup": "self uninstall|toolchain uninstall|toolchain remove|target remove",
        "brew": "bundle cleanup",
        "pixi": "global remove|global uninstall",
        "asdf rtx": "plugin remove",
        "mise": "plugins uninstall|plugin uninstall|plugins rm",
        "opam": "switch remove|switch delete|repository remove",
        "raco": "pkg remove",
        "pnpm": "env remove|env rm",
        "hatch": "python remove|env remove",
        "rye": "toolchain remove|self uninstall|tools uninstall",
        "R": "CMD REMOVE",
        "nix": "profile remove|profile wipe-history|store delete|store gc",
        "composer": "global remove",
        "poetry": "env remove|self remove",
        "uv": "pip uninstall|tool uninstall|python uninstall|self uninstall",
        "dotnet": "workload uninstall|tool uninstall",
    }
)
_APTS = frozenset({"apt", "apt-get", "aptitude", "nala", "apt-fast"})
#: Options that prevent changes.
_ONLY_SHOWS = ("h", "dry-run", "simulate", "just-print", "no-act", "recon", "test", "assumeno", "print-uris")
_UNSIGNED = (
    "allow-unauthenticated", "allow-remove-essential", "force-yes", "allow-insecure-repositories", "nogpgcheck",
    "no-gpg-checks", "allow-untrusted", "dangerous",
)  # fmt: skip
_INSTALLS = frozenset({"install", "in", "add", "upgrade", "update", "reinstall", "localinstall"})
_ADDS_SOURCE = frozenset({("zypper", "ar"), ("zypper", "addrepo"), ("dnf", "copr")})
#: In `apt install`, a name with a trailing dash is removed.
_REMOVED_NAME = re.compile(r"[a-z0-9][a-z0-9.+-]*-$")


@FAMILY.judges(*sorted({*_REMOVES, *_PAIRS, *_ONLY_REMOVE}))
def managers(command: Command, _: Context) -> Iterator[Finding]:
    """Judge package managers of a system or a language."""
    program = command.program or ""
    apt = program in _APTS
    options = parse(command, _APT if apt else _ANY)
    if (
        options.helps
        or options.has(*_ONLY_SHOWS)
        or (options.has("s") and apt)
        or (options.has("n") and program in {"port", "pkg", "xbps-remove"})
    ):
        return
    verb = options.subcommand()
    named = " ".join(word.text for word in options.operands[1:6])[:100]
    if _removes(program, options):
        yield REMOVE.found(command, path=named or verb)
    elif apt and verb == "install" and _installs_without(options):
        yield REMOVE.found(command, path=named)
    if verb in _INSTALLS and options.has(*_UNSIGNED):
        yield SOURCE.found(command, path="unsigned packages")
    for word in options.values("o", "option") if apt else ():
        if "invoke" in word.raw.lower():
            yield SOURCE.found(command, path=word.text)
    if (program, verb) in _ADDS_SOURCE or (
        verb == "config-manager" and any("add-repo" in word.raw for word in command.args)
    ):
        yield SOURCE.found(command, path=named)


def _removes(program: str, options: Options) -> bool:
    verb = options.subcommand()
    if (program, verb) == ("guix", "gc"):
        return options.has("d", "delete-old")
    if f"{verb} {options.subcommand(1)}" in _PAIRS.get(program, ()):
        return True
    return verb in _REMOVES.get(program, ()) or (program in _ONLY_REMOVE and bool(options.operands or options.given))


def _installs_without(options: Options) -> bool:
    """Return True for an `apt install` that also removes packages."""
    return options.has("purge", "auto-remove") or any(_REMOVED_NAME.match(word.raw) for word in options.operands[1:])


_UNINSTALLS = {
    "guix": names("-r --remove"),
    "cpanm": names("-U --uninstall"),
    "pkgutil": names("--forget"),
    "installp": names("-u -ug"),
    "code": names("--uninstall-extension"),
    "codium": names("--uninstall-extension"),
    "cursor": names("--uninstall-extension"),
    "dotnet-core-uninstall": names("remove"),
}


@FAMILY.judges(*_UNINSTALLS)
def by_option(command: Command, _: Context) -> Iterator[Finding]:
    """Judge programs that remove by an option."""
    texts = [word.raw for word in command.args]
    given = _UNINSTALLS[command.program or ""] & {text.partition("=")[0] for text in texts}
    if given and not {"--help", "--dry-run", "-n"} & set(texts):
        yield REMOVE.found(command, path=" ".join(text for text in texts if text not in given)[:100])


@FAMILY.judges("do-release-upgrade", "softwareupdate")
def releases(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about upgrading the system to a new release."""
    texts = [word.raw for word in command.args]
    if {"--help", "-h", "-c", "--check-dist-upgrade-only", "-V", "--version", "-l", "--list"} & set(texts):
        return
    if command.program == "do-release-upgrade" or any(re.match(r"-[a-zA-Z]*i|--install", text) for text in texts):
        yield REMOVE.found(command, path="the release that runs now")


@FAMILY.judges("add-apt-repository", "apt-add-repository", "apt-key", "rpmkeys", "yum-config-manager")
def trust(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about trusting additional signing keys."""
    texts = [word.raw for word in command.args]
    if {"--help", "-h", "-l", "--list", "list", "finger"} & set(texts) or (
        command.program in {"rpmkeys", "yum-config-manager"}
        and not {"--import", "--add-repo"} & {text.partition("=")[0] for text in texts}
    ):
        return
    yield SOURCE.found(command, path=" ".join(texts)[:100])
