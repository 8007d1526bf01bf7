"""Tables of programs that run, install or open fetched code."""

from hermes_guard.name_sets import names

PYTHONS = names("python python2 python2.7 python3 pypy pypy3 ipython") | {f"python3.{minor}" for minor in range(4, 17)}
INTERPRETERS = PYTHONS | names(
    "perl ruby node nodejs php lua luajit tclsh expect bun Rscript R julia osascript pwsh powershell tsx ts-node "
    "groovy scala irb elixir guile racket sbcl clisp ocaml jshell swift psh elvish nu xonsh vim.basic"
)
PACKAGE_MANAGERS = names("dpkg rpm apt apt-get dnf yum installer pip pip3 gdebi snap zypper pacman apk flatpak msiexec")
#: Arguments that make a program read its input as a file.
INPUTS = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
EDITORS = names("code code-insiders codium vscodium cursor windsurf code-server code-oss positron trae kiro zed")
BROWSERS = names(
    "google-chrome google-chrome-stable google-chrome-beta chrome chrome.exe chromium chromium-browser brave "
    "brave-browser microsoft-edge msedge vivaldi opera firefox"
)
