"""Judges programs that run or build code directly from a URL."""

from collections.abc import Callable, Iterator

from hermes_guard import lazy_re as re
from hermes_guard.argv import Spec, parse, parse_words
from hermes_guard.name_sets import names
from hermes_guard.rules.family import Context
from hermes_guard.rules.remote_code.packages import address
from hermes_guard.rules.remote_code.programs import BROWSERS, EDITORS
from hermes_guard.rules.remote_code.rules import ADDRESS, FAMILY
from hermes_guard.shell.command import Command
from hermes_guard.shell.word import Word
from hermes_guard.verdict import Finding


def _words(command: Command) -> list[Word]:
    """Return the arguments that are not options."""
    return [word for word in command.args if not word.raw.startswith("-")]


def _plain(command: Command) -> tuple[str, list[Word]]:
    """Return the first argument that is not an option, and those after it."""
    words = _words(command)
    return (words[0].raw, words[1:]) if words else ("", [])


_DENO = Spec(
    "c= config= import-map= lock= location= cert= L= log-level= seed= ext= n= name= root= o= output= target= include= "
    "p= port= host= env-file? A allow-all q quiet g global f force r? reload? v8-flags= unstable",
    posix=True,
)
_DENO_RUNS = names("run install eval serve x compile repl add")
_DENO_TESTS = names("test bench")


def _deno(command: Command) -> str:
    options = parse(command, _DENO)
    order = options.subcommand()
    if order in _DENO_TESTS:
        return address(options.operands[1:])
    if order in _DENO_RUNS:
        options = parse_words(options.operands[1:], _DENO)
    # Arguments after the script are its own.
    return address(options.operands[:1])


_GO = Spec(
    "C= exec= tags= ldflags= gcflags= asmflags= mod= modfile= o= p= overlay= toolexec= buildmode= compiler= pkgdir= "
    "pgo= covermode= coverpkg= a n v x race work trimpath",
    single=True,
    posix=True,
)
_GO_ADDRESS = re.compile(
    r"(?!golang\.org/x/)[\w-]+(?:\.[\w-]+)+/[^@\s]+@|(?!golang\.org/x/)[\w-]+\.(?:com|org|io|net|dev|in)/"
)
_GO_HOST = re.compile(r"([\w-]+(?:\.[\w-]+)+(?::\d+)?)/\S+\Z")
#: Hosts of the Go project's tools.
_GO_HOSTS = names(
    "github.com gitlab.com bitbucket.org codeberg.org git.sr.ht gopkg.in golang.org google.golang.org cloud.google.com "
    "go.uber.org go.opentelemetry.io go.etcd.io go.mongodb.org go.dev k8s.io sigs.k8s.io helm.sh honnef.co mvdan.cc "
    "gotest.tools entgo.io ariga.io filippo.io rsc.io 4d63.com connectrpc.com buf.build goa.design gorm.io gonum.org "
    "modernc.org gioui.org fyne.io cuelang.org golang.zx2c4.com charm.land dagger.io tinygo.org storj.io cel.dev "
    "istio.io knative.dev sigstore.dev gitea.com gitea.dev gvisor.dev pkg.go.dev 9fans.net src.elv.sh goki.dev"
)


def _go(command: Command) -> str:
    options = parse(command, _GO)
    order, options = options.subcommand(), parse_words(options.operands[1:], _GO)
    if order == "run":
        # Arguments after the package are its own.
        return next((word.raw for word in options.operands[:1] if _GO_ADDRESS.match(word.raw)), "")
    if order == "install":
        hosts = [(_GO_HOST.match(word.raw[:300]), word) for word in options.operands]
        return next((word.raw[:80] for host, word in hosts if host and host[1] not in _GO_HOSTS), "")
    return ""


_NIX = Spec(
    "extra-experimental-features= experimental-features= f= file= I= override-input= option= expr= p= profile= impure "
    "c command",
    posix=True,
)


def _nix(command: Command) -> str:
    options = parse(command, _NIX)
    order = options.subcommand()
    rest = parse_words(options.operands[1:], _NIX).operands
    if order == "run":
        return address(rest[:1])
    if order == "profile" and rest and rest[0].raw in {"install", "add"}:
        return address(rest[1:])
    ends = next((at for at, word in enumerate(rest) if word.raw in {"-c", "--command"}), len(rest))
    return address(rest[:ends]) if order in {"shell", "develop"} else ""


def _nix_shell(command: Command) -> str:
    return address(_words(command))


def _tells(command: Command) -> bool:
    return any(word.raw in {"--help", "-h", "--dry-run"} for word in command.args)


_CARGO = Spec("git= branch= tag= rev= path= version= features= F= j= root= registry= index=")


def _cargo(command: Command) -> str:
    options = parse(command, _CARGO)
    orders = [word.raw for word in options.operands if not word.raw.startswith("+")]
    elsewhere = options.value("git", "index")
    return elsewhere.raw if orders[:1] == ["install"] and elsewhere is not None and not _tells(command) else ""


def _installer(command: Command) -> str:
    order, rest = _plain(command)
    return address(rest) if order in {"install", "reinstall", "upgrade"} and not _tells(command) else ""


def _cpanm(command: Command) -> str:
    return "" if _tells(command) else _nix_shell(command)


_HELM = Spec(
    "f= values= set= set-string= set-file= set-json= n= namespace= version= repo= ca-file= cert-file= key-file= "
    "keyring= username= password= timeout= description= post-renderer= kube-context= kubeconfig= history-max= o= "
    "output= labels= name-template= i install wait atomic create-namespace debug"
)


def _helm(command: Command) -> str:
    order, _ = _plain(command)
    if order not in {"install", "upgrade", "template"} or _tells(command):
        return ""
    return address(parse(command, _HELM).operands[1:])


_MODULE = re.compile(r"--?from-module=(?:git::|git@|(?:github|gitlab|bitbucket)\.\w+/|[\w+:]*://)")


def _terraform(command: Command) -> str:
    return next((word.raw[:80] for word in command.args if _MODULE.match(word.raw)), "")


#: One or two words followed by a URL to install.
_PLUGINS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(EDITORS, ("--install-extension",)),
    "asdf": ("plugin add", "plugin-add"),
    "brew": ("tap", "install", "reinstall", "upgrade"),
    "cabal": ("install",),
    "claude": ("plugin marketplace", "mcp add"),
    "composer": ("create-project", "global require", "require"),
    "dotnet": ("new install", "tool install"),
    "gem": ("install", "specific_install"),
    "gemini": ("extensions install",),
    "jupyter": ("labextension install", "nbextension install", "serverextension install"),
    "kubectl": ("krew install", "krew index"),
    "kubectl-krew": ("install", "index"),
    "mise": ("plugins install", "plugin install"),
    "mix": ("archive.install", "escript.install"),
    "nimble": ("install",),
    "opam": ("pin", "install", "repo", "repository"),
    "raco": ("pkg install",),
    "rustup": ("toolchain link",),
    "vagrant": ("plugin install", "box add"),
    "yarn": ("set version",),
}
_KNOWN_TAPS = re.compile(r"https://github\.com/(?:Homebrew|homebrew|hashicorp|aws|microsoft|github)/")


def _plugin(command: Command) -> str:
    """Judge plugins and packages installed by a program's own verbs."""
    if _tells(command):
        return ""
    program = command.program or ""
    texts = [word.raw for word in command.args]
    plain = [text for text in texts if not text.startswith("-")]
    orders = _PLUGINS[program]
    if not ({*plain[:1], " ".join(plain[:2])} & set(orders) or set(orders) & set(texts)):
        return ""
    if program == "mix" and plain[1:2] and plain[1] in {"github", "git", "bitbucket"}:
        return " ".join(plain[1:3])[:80]
    given = [
        word.tail(word.raw.index("=") + 1) if word.raw[:2] == "--" and "=" in word.raw else word
        for word in command.args
    ]
    found = address(given)
    return "" if _KNOWN_TAPS.match(found) else found


def _helm_plugin(command: Command) -> str:
    words = _words(command)
    if [word.raw for word in words[:2]] == ["plugin", "install"] and not _tells(command):
        return address(words[2:])
    return _helm(command)


def _gh(command: Command) -> str:
    """Ask about gh extensions, which are third-party programs."""
    plain = [word.raw for word in _words(command)]
    if plain[:1] in (["extension"], ["extensions"], ["ext"]) and plain[1:2] == ["install"] and not _tells(command):
        return next((name[:80] for name in plain[2:3] if not name.startswith((".", "github/", "cli/"))), "")
    return ""


#: World-writable directories.
_TEMPORARY = re.compile(r"(?:/private)?/(?:var/)?tmp/|/dev/shm/")


def _browser(command: Command) -> str:
    """Ask about a browser extension in a world-writable directory."""
    folders = [word.tail(17).raw for word in command.args if word.raw.startswith("--load-extension=")]
    return next((folder[:80] for folder in folders if _TEMPORARY.match(folder)), "")


_IN_R = re.compile(
    r"\binstall_(?:github|gitlab|git|url|bitbucket|svn)\s{0,9}\(|\bsource(?:_url)?\(\s{0,9}[\"']https?:|"
    r"\binstall\.packages\(\s{0,9}[\"']https?:"
)
_IN_JULIA = re.compile(
    r"\bPkg\.(?:add|develop|clone)\(\s{0,9}(?:url\s{0,9}=|PackageSpec\(url|[\"']https?:)|\binclude\(download\("
)


def _in_code(pattern: re.Pattern[str]) -> Callable[[Command], str]:
    """Judge what code on the command line installs from a URL."""

    def find(command: Command) -> str:
        matches = (pattern.search(word.raw) for word in command.args)
        return next((match.group()[:80] for match in matches if match), "")

    return find


_PROGRAMS: dict[str, Callable[[Command], str]] = {
    **dict.fromkeys(_PLUGINS, _plugin),
    **dict.fromkeys(BROWSERS, _browser),
    **dict.fromkeys(("R", "Rscript"), _in_code(_IN_R)),
    "gh": _gh,
    "julia": _in_code(_IN_JULIA),
    "luarocks": _installer,
    **dict.fromkeys(("terraform", "tofu"), _terraform),
    "cargo": _cargo,
    "cpanm": _cpanm,
    "deno": _deno,
    "go": _go,
    "helm": _helm_plugin,
    "nix": _nix,
    "nix-shell": _nix_shell,
}


@FAMILY.judges(*_PROGRAMS)
def addresses(command: Command, _: Context) -> Iterator[Finding]:
    """Ask about what is run or built without review."""
    found = _PROGRAMS[command.program or ""](command)
    if found:
        yield ADDRESS.found(command, path=found)
