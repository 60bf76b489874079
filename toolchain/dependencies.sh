#!/bin/sh
# Gets a Node.js if the host's own is too old, installs this clone's Node.js packages, exactly as package-lock.json says,
# and compiles the libvirt SDK. Prints nothing if all are up to date.
set -eu
cd "$(dirname "$0")/.."

./toolchain/node/ensure.sh
export PATH="$PWD/.kindows/node/bin:$PATH"

# npm writes this file last, so it is missing or old after an install that was cut short.
installed=node_modules/.package-lock.json
packages_missing() {
  [ ! -e "$installed" ] || [ -n "$(find package-lock.json -newer "$installed")" ]
}

# The compiled SDK's copy of package.json is written last.
compiled=sdks/libvirt/bin/package.json
sdk_missing() {
  [ ! -e "$compiled" ] ||
    [ -n "$(find sdks/libvirt -path sdks/libvirt/bin -prune -o -type f -newer "$compiled" -print)" ]
}

if ! packages_missing && ! sdk_missing; then
  exit 0
fi

# One command at a time: npm empties node_modules first, even if another command has just filled it.
mkdir -p .kindows
exec 9>.kindows/dependencies.lock
if ! flock --nonblock 9; then
  echo "waiting up to 15 min for another command that installs the Node.js packages of this clone" >&2
  if ! flock --timeout 900 9; then
    echo "kindows: another command still installs the Node.js packages of $PWD: wait for it, or end it, and run this one again" >&2
    exit 1
  fi
fi

if packages_missing; then
  echo "installing Node.js packages" >&2
  . toolchain/node/cache.sh
  npm_config_cache=$cache/npm \
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
  touch "$installed"
fi

if sdk_missing; then
  echo "compiling the libvirt SDK" >&2
  npm run --silent postinstall >&2
fi
