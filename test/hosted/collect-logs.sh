#!/usr/bin/env bash
# Collects what a run of `make e2e-windows` leaves: output, JUnit's XML, screenshots, logs of QEMU, libvirt and the kernel.
# Neither keys, nor an ISO, nor a disk. Argument: the folder to make.
set -euo pipefail
cd "$(dirname "$0")/../.."

into=$1
mkdir -p "$into"
cache=${KINDOWS_CACHE:-/root/.cache/kindows}

# copy FROM NAME: copies a folder's texts and pictures, if it exists.
copy() {
  if [[ -d $1 ]]; then
    (cd "$1" && find . -type f \( -name '*.log' -o -name '*.txt' -o -name '*.json' -o -name '*.xml' -o -name '*.png' \
      -o -name '*.ppm' -o -name '*.console' \) ! -name '*key*' -size -50M -print0 |
      tar --create --null --files-from - --file -) | (mkdir -p "$into/$2" && tar --extract --directory "$into/$2" --file -)
  fi
}

copy .kindows/e2e-logs/e2e-windows run
copy .kindows/e2e-windows/logs nodes
copy "$cache/logs" image
copy /var/log/libvirt/qemu qemu
dmesg >"$into/dmesg.txt" || true
df -h >"$into/disks.txt"
# To whoever called sudo.
chown -R --reference=. "$into"
