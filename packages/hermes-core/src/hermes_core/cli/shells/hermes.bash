_hermes_completion() {
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
