# Completes kindows in bash: source <(kindows completion bash)
_kindows() {
  local line program=${COMP_WORDS[0]}
  type -P -- "$program" >/dev/null || program=@PROGRAM@
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :folders) compopt -o dirnames ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("$program" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _kindows kindows
