# shellcheck shell=sh
# Functions of all steps, which source this file. A step's result is the last line of its standard output, one JSON object.
# An error is written to standard error, with its code and remedy.

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

# finish FACTS: prints the result. FACTS are the members of a JSON object without braces, or empty.
finish() {
  printf '{"step":"%s","changed":%s,"rebootRequired":false,"seconds":%s,"facts":{%s}}\n' \
    "$step" "$changed" "$(($(date +%s) - started))" "$1"
}

# write_file FILE: writes standard input to FILE if the content differs, and sets `changed`. Use a here-document,
# because in a pipeline the variable would be set in a subshell and lost.
write_file() {
  cat >"$1.new"
  if cmp -s "$1.new" "$1"; then
    rm "$1.new"
  else
    mv "$1.new" "$1"
    changed=true
  fi
}

# await SECONDS COMMAND...: runs the command once a second until it succeeds, and discards its output.
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

# missing_programs: prints " NAME" of each missing program that a node needs and an image of Debian or Ubuntu may lack.
missing_programs() {
  for program in conntrack gzip ip iptables modprobe mount nsenter openssl sha256sum systemctl tar; do
    command -v "$program" >/dev/null || printf ' %s' "$program"
  done
}

# packages_of PROGRAM...: prints the packages of Debian and Ubuntu that contain the programs.
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

# install_packages NAME...: installs with apt-get, and waits for another apt-get, such as one after the first boot.
install_packages() {
  export DEBIAN_FRONTEND=noninteractive
  timeout 300 apt-get --quiet --option DPkg::Lock::Timeout=120 update >&2 &&
    timeout 900 apt-get --quiet --yes --no-install-recommends --option DPkg::Lock::Timeout=120 install "$@" >&2
}

# check_archive FILE SHA256: ends the step if a copied file is missing or damaged. A damaged one is removed.
check_archive() {
  [ -f "$1" ] ||
    fail MediumMissing "there is no $1." "Run the program again: it is copied again."
  found=$(sha256sum "$1" | cut -d ' ' -f 1)
  if [ "$found" != "$2" ]; then
    rm "$1"
    fail ChecksumMismatch "$1 has the SHA-256 $found, not $2." "Run the program again: it is copied again."
  fi
}
