# shellcheck shell=sh
# What all steps have in common; they source it. A step's result is the last line of its standard output, one JSON
# object; why it failed goes to standard error, with its code and what to do.

begin() {
  step=$1
  started=$(date +%s)
  changed=false
}

# fail CODE MESSAGE REMEDY
fail() {
  echo "$step on $(hostname) failed ($1): $2 $3" >&2
  exit 1
}

# finish FACTS: facts are the inside of a JSON object, or nothing.
finish() {
  printf '{"step":"%s","changed":%s,"rebootRequired":false,"seconds":%s,"facts":{%s}}\n' \
    "$step" "$changed" "$(($(date +%s) - started))" "$1"
}

# write_file FILE: standard input becomes its content, unless it is that already. Notes whether anything changed, which
# is lost behind a pipe: its input is a here-document.
write_file() {
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then
    rm "$1.new"
  else
    mv "$1.new" "$1"
    changed=true
  fi
}

# await SECONDS COMMAND...: until the command is successful; its output is of no interest.
await() {
  until_second=$(($(date +%s) + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$(date +%s)" -ge "$until_second" ]; then
      return 1
    fi
    sleep 1
  done
}
