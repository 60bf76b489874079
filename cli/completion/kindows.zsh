#compdef kindows
# Completes kindows in zsh: source <(kindows completion zsh), after compinit
_kindows() {
  local line program=${words[1]}
  local -a found
  whence -p -- "$program" >/dev/null || program=@PROGRAM@
  for line in "${(@f)$("$program" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files; return ;;
      :folders) _files -/; return ;;
      *) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  _describe kindows found
}
compdef _kindows kindows
