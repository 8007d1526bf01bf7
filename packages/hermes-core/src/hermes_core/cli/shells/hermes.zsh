#compdef hermes

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
