# Completes kindows in fish: kindows completion fish | source
function __kindows_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l program $words[1]
    command -sq -- $program; or set program @PROGRAM@
    for line in ($program __complete -- $words[2..] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c kindows -f -a '(__kindows_complete)'
