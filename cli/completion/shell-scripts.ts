import { shellWord } from "../../host/shell-word.ts";

export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** The hidden command that the scripts call, with the words of the command line after `--`. */
export const completeCommand = "__complete";

/**
 * Script that completes kindows' command lines in a shell. It calls the `kindows` that is being typed, so that each clone
 * completes its own stacks.
 *
 * @param program absolute path of this clone's `kindows`, for when the shell cannot run the typed word.
 */
export function completionScript(shell: Shell, program: string): string {
  const scripts = { bash, zsh, fish } as const;
  return scripts[shell](shellWord(program));
}

const bash = (
  program: string,
): string => `# Completes kindows in bash: source <(kindows completion bash)
_kindows() {
  local line program=\${COMP_WORDS[0]}
  type -P -- "$program" >/dev/null || program=${program}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :folders) compopt -o dirnames ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("$program" ${completeCommand} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _kindows kindows
`;

const zsh = (program: string): string => `#compdef kindows
# Completes kindows in zsh: source <(kindows completion zsh), after compinit
_kindows() {
  local line program=\${words[1]}
  local -a found
  whence -p -- "$program" >/dev/null || program=${program}
  for line in "\${(@f)$("$program" ${completeCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files; return ;;
      :folders) _files -/; return ;;
      *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  _describe kindows found
}
compdef _kindows kindows
`;

const fish = (
  program: string,
): string => `# Completes kindows in fish: kindows completion fish | source
function __kindows_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l program $words[1]
    command -sq -- $program; or set program ${program}
    for line in ($program ${completeCommand} -- $words[2..] 2>/dev/null)
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
`;
