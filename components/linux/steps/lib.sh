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

# What a node calls, as far as an image of Debian or Ubuntu may lack it: prints " NAME" of each program that is not there.
missing_programs() {
  for program in conntrack gzip ip iptables modprobe mount nsenter openssl sha256sum systemctl tar; do
    command -v "$program" >/dev/null || printf ' %s' "$program"
  done
}

# packages_of PROGRAM...: the packages of Debian and Ubuntu that bring them.
packages_of() {
  for program in "$@"; do
    case $program in
      ip) echo iproute2 ;;
      modprobe) echo kmod ;;
      nsenter) echo util-linux ;;
      sha256sum) echo coreutils ;;
      systemctl) echo systemd ;;
      *) echo "$program" ;;
    esac
  done
}

# install_packages NAME...: by apt-get, which waits for another one that runs, as after a first boot.
install_packages() {
  export DEBIAN_FRONTEND=noninteractive
  timeout 300 apt-get --quiet --option DPkg::Lock::Timeout=120 update >&2 &&
    timeout 900 apt-get --quiet --yes --no-install-recommends --option DPkg::Lock::Timeout=120 install "$@" >&2
}
