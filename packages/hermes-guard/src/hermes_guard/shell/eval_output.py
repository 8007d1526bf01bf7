"""Recognizes programs whose documented output is meant for `eval` or `source`."""

from hermes_guard import lazy_re as re
from hermes_guard.name_sets import names
from hermes_guard.shell.command import Command

#: The maximum length of the arguments.
_MAX_LENGTH = 200
_SHELL = r"(?:bash|zsh|sh|fish|ksh|posix|powershell|pwsh|elvish|nu|tcsh)"
#: Names, file paths and plain values after an option.
_PLAIN = r"[\w@%+=:,./~-]+"
_OPTIONS = rf"(?: --?[a-zA-Z][\w-]*(?:=?{_PLAIN})?)*"

#: The program's arguments, on one line. Options without values may follow each form.
_FORMS = {
    "ssh-agent": r"(?: -[sc])?(?: -[at] \S+)*",
    "gpg-agent": rf"(?: --daemon)?{_OPTIONS}",
    "keychain": rf"{_OPTIONS}(?: [\w.@-]+)*",
    "dircolors": r"(?: -b| --sh| --bourne-shell)?(?: \S+)?",
    "resize": r"(?: -[usc])?",
    "tset": rf"{_OPTIONS}(?: [\w-]+)?",
    "lesspipe": "",
    "lesspipe.sh": "",
    "direnv": rf" (?:hook|export) {_SHELL}",
    "brew": rf" shellenv(?: {_SHELL})?",
    "starship": rf" (?:init|completions) {_SHELL}{_OPTIONS}",
    "zoxide": rf" init {_SHELL}{_OPTIONS}",
    "atuin": rf" (?:init|gen-completions)(?: --shell)? {_SHELL}{_OPTIONS}",
    "fzf": r" --(?:bash|zsh|fish)",
    "oh-my-posh": rf" init {_SHELL}(?: --config \S+)?",
    "mcfly": rf" init {_SHELL}",
    "navi": rf" widget {_SHELL}",
    "sheldon": r" (?:source|init(?: --shell \w+)?)",
    "thefuck": r" (?:--alias|-a)(?: \w+)?",
    "hub": r" alias -s(?: \w+)?",
    "conda": rf" (?:shell\.\w+ (?:hook|activate(?: [\w.-]+)?)|init {_SHELL})",
    "mamba": rf" shell(?:\.\w+)? (?:hook|init|activate){_OPTIONS}",
    "micromamba": rf" shell (?:hook|init|activate){_OPTIONS}(?: [\w.-]+)?",
    "opam": rf" (?:config )?env{_OPTIONS}",
    "mise": rf" (?:activate|env|hook-env|completion){_OPTIONS}(?: {_SHELL})?{_OPTIONS}",
    "rtx": rf" (?:activate|env){_OPTIONS}(?: {_SHELL})?",
    "asdf": rf" (?:completion|shell) {_SHELL}",
    "fnm": rf" (?:env|completions){_OPTIONS}(?: {_SHELL})?",
    "vfox": rf" activate {_SHELL}",
    "minikube": rf"{_OPTIONS}(?: \w+)? (?:docker|podman)-env{_OPTIONS}(?: {_SHELL})?",
    "docker-machine": rf" env{_OPTIONS}(?: [\w.-]+)?",
    "luarocks": rf" path{_OPTIONS}",
    "perl": r"(?: -I\S+)? -Mlocal::lib(?:=\S+)?",
    "register-python-argcomplete": rf"{_OPTIONS} [\w.-]+",
    "register-python-argcomplete3": rf"{_OPTIONS} [\w.-]+",
    "uv": rf" generate-shell-completion {_SHELL}",
    "uvx": rf" --generate-shell-completion {_SHELL}",
    "op": rf" (?:signin|completion(?: {_SHELL})?){_OPTIONS}",
    "just": rf" --completions {_SHELL}",
    "task": rf" --completion {_SHELL}",
    "pixi": rf" (?:shell-hook|completion){_OPTIONS}(?: {_SHELL})?",
    "devbox": rf" (?:shellenv|global shellenv|completion){_OPTIONS}(?: {_SHELL})?",
    "stack": r" --bash-completion-script \w+",
    "spack": rf" (?:load|env activate|unload) --sh{_OPTIONS}(?: [\w@.+-]+)*",
    "guix": r" package (?:--search-paths|-p \S+ --search-paths)",
    "swiftenv": r" init -?",
    "tmuxp": rf" (?:shell-completion|completion) {_SHELL}",
}
_VERSIONS = rf" (?:virtualenv-)?init(?: -| --path)*(?: {_SHELL})?(?: --no-rehash)?"
_PATTERNS = {
    program: re.compile(rf"{form}\Z")
    for program, form in {
        **_FORMS,
        **dict.fromkeys(("pyenv", "rbenv", "nodenv", "goenv", "jenv", "plenv", "phpenv"), _VERSIONS),
    }.items()
}
#: `tool completion bash`, as most command-line tools have it.
_COMPLETION = re.compile(
    rf" (?:(?:shell|self)[ -])?completions?(?: script| show)?(?: (?:-s|--shell)[ =]| --)?(?: ?{_SHELL})?(?: \w+)?\Z"
)
#: Programs that print files or server responses, whatever the file names.
_READERS = names(
    "cat tac head tail less more most bat nl rev sort uniq shuf paste cut tr sed gsed awk gawk mawk grep egrep rg "
    "strings fold fmt pr column od xxd hexdump base64 base32 openssl gpg age zcat gunzip bzcat xzcat zstdcat unzip "
    "tar dd pv tee curl wget http https xh fetch aria2c lynx w3m links nc ncat netcat socat telnet ftp sftp ssh scp "
    "dig host nslookup echo printf print yes find fd ls xclip xsel pbpaste psql mysql sqlite3 redis-cli jq yq git "
    "docker podman env sudo python python3 perl ruby node php lua bash sh zsh dash ksh fish envsubst m4 iconv gzip "
    "bzip2 xz ed ex diff comm join"
)


def emits(command: Command) -> bool:
    """Return True when a command prints code that is meant for the shell, in a documented form."""
    program = command.program or ""
    if command.wrappers or not program:
        return False
    line = "".join(f" {word.text}" for word in command.args)
    if len(line) > _MAX_LENGTH:
        return False
    form = _PATTERNS.get(program)
    if form is not None and form.match(line):
        return True
    if program in _READERS or any(not word.certain for word in command.args):
        return False
    # Programs built with click print it when a variable requests it.
    asked = any(key.endswith("_COMPLETE") and "_source" in value for key, value in command.assignments.items())
    return _COMPLETION.match(line) is not None or (asked and not line)
