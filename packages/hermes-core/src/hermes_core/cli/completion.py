"""`hermes completion`: what makes Tab complete the command in a shell.

Click answers the scripts, by its own protocol. The scripts are ours for three things that click's do not do: they ask
the very `hermes` that stands on the line, wherever it lies; they complete `--option=value`; and they print no errors
into the line.
"""

from __future__ import annotations

import os
from pathlib import PurePath

import click

_BASH = r"""_hermes_completion() {
    local IFS=$'\n' cword=$COMP_CWORD program=${1/#\~\//$HOME/} index type value
    local words=()
    # Bash makes three words of --option=value, but the command takes two or one.
    for index in "${!COMP_WORDS[@]}"; do
        if (( index && index < COMP_CWORD )) && [[ ${COMP_WORDS[index]} == "=" && ${COMP_WORDS[index-1]} == --* ]]; then
            cword=$((cword - 1))
        else
            words+=("${COMP_WORDS[index]}")
        fi
    done
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            plain) COMPREPLY+=("$value") ;;
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
        esac
    done < <(
        env COMP_WORDS="${words[*]}" COMP_CWORD="$cword" _HERMES_COMPLETE=bash_complete "$program" 2>/dev/null
    )
}

# Bash before 4.4 always sorts.
complete -o nosort -F _hermes_completion hermes 2>/dev/null || complete -F _hermes_completion hermes
"""

_ZSH = r"""#compdef hermes

_hermes_completion() {
    local program=${(Q)words[1]} type value help
    local -a response plain described
    local -i found=1
    program=${program/#\~\//$HOME/}
    response=("${(@f)$(
        env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) _HERMES_COMPLETE=zsh_complete "$program" 2>/dev/null
    )}")
    # Of --option=value only the value is completed.
    [[ $words[CURRENT] == --*=* ]] && compset -P '*='
    for type value help in ${response}; do
        case $type in
            plain) [[ $help == _ ]] && plain+=("$value") || described+=("$value:$help") ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described && found=0
    (( $#plain )) && compadd -V unsorted -a plain && found=0
    return found
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _hermes_completion "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
    compdef _hermes_completion hermes
fi
"""

_FISH = r"""function _hermes_completion
    set -l token (commandline -t)
    set -l program (commandline -opc)[1]
    set -l words (commandline -cp | string collect)
    # Fish wants --option=value back as a whole.
    set -l option (string match -r -- '^--[^=]+=' "$token")
    set program (string replace -r '^~/' "$HOME/" -- $program)
    for line in (env _HERMES_COMPLETE=fish_complete "COMP_WORDS=$words" "COMP_CWORD=$token" $program 2>/dev/null)
        set -l parts (string split -m 1 , -- $line)
        switch "$parts[1]"
            case plain
                printf '%s\n' "$option$parts[2]"
            case dir
                __fish_complete_directories "$parts[2]"
            case file
                __fish_complete_path "$parts[2]"
        end
    end
end

complete --no-files --command hermes --arguments '(_hermes_completion)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


@click.command()
@click.argument("shell", type=click.Choice(list(SCRIPTS)), required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the shell and its script.")
def command(shell: str | None, as_json: bool) -> None:
    """Print what makes Tab complete commands, options and names.

    The shell is taken from the variable SHELL when it is not given; the exit status is 2 when that names another one.
    One line in a file that the shell reads turns completion on:

    \b
    bash, in ~/.bashrc:
      eval "$(hermes completion bash)"
    zsh, in ~/.zshrc, after compinit where that is called:
      eval "$(hermes completion zsh)"
    fish, in ~/.config/fish/completions/hermes.fish:
      hermes completion fish | source
    """
    chosen = shell or _present_shell()
    if as_json:
        from hermes_core.cli.output import print_json

        print_json({"shell": chosen, "script": SCRIPTS[chosen]})
    else:
        click.echo(SCRIPTS[chosen], nl=False)


def _present_shell() -> str:
    variable = os.environ.get("SHELL", "")
    name = PurePath(variable).name
    if name not in SCRIPTS:
        said = f"SHELL is {variable!r}" if variable else "SHELL is not set"
        click.get_current_context().fail(f"Which shell? {said}, so name one of {', '.join(SCRIPTS)}.")
    return name
