"""Names of packages that are not what they look like."""

from collections.abc import Iterator

from hermes_guard import lazy_re as re
from hermes_guard.rules.family import Context
from hermes_guard.rules.packages.table import FAMILY, LOOKALIKE
from hermes_guard.shell.command import Command
from hermes_guard.text import mixed
from hermes_guard.verdict import Finding

_INSTALLERS = """
npm npx yarn pnpm bun bunx cnpm pip pip3 pipx uv uvx poetry pdm conda mamba micromamba pixi cargo gem bundle go composer
brew apt apt-get dnf yum apk pacman zypper snap flatpak nix-env choco winget scoop cpan cpanm luarocks dotnet nuget
deno jsr helm docker podman ollama code
"""
#: A name between dots, dashes and other signs.
_LETTERS = re.compile(r"[^\W\d_]+")
#: How many words are looked at, and how long a name may be.
_MOST, _LONGEST = 64, 200


@FAMILY.judges(*_INSTALLERS.split())
def lookalikes(command: Command, _: Context) -> Iterator[Finding]:
    """A name in which letters of two scripts stand side by side."""
    for word in command.args[:_MOST]:
        if word.raw.isascii() or " " in word.raw or len(word.raw) > _LONGEST:
            continue
        if any(mixed(name) for name in _LETTERS.findall(word.raw)):
            yield LOOKALIKE.found(command, path=word.text)
            return
