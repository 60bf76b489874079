#!/bin/sh
# Executable of a bundled plugin. The language host of the same engine may serve the provider already
# (ready-providers.ts), which is faster than starting Node.js again. Such a provider is taken only once, because the
# engine starts one for each configuration. Needs nothing on the PATH but `node`.
name=${0##*/pulumi-}
for engine in "$@"; do :; done # The last argument.
ready=${PULUMI_HOME:-$HOME/.pulumi}/ready-providers/$PPID-$engine/${name#resource-}
if [ -r "$ready" ] && (set -C && : >"$ready.taken") 2>/dev/null && read -r port <"$ready"; then
  echo "$port"
  while read -r _; do :; done # Until the engine ends this script, or has ended itself.
  exit
fi
script=$(command -p readlink -f "$0")
here=${script%/*}
[ -e "$here/main.mjs" ] || exec node "$here/../../toolchain/program/run.js" offline/plugins/main.ts "$name" "$@" # From source.
exec node "$here/main.mjs" "$name" "$@"
