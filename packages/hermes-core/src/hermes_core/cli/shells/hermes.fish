function _hermes_completion
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
