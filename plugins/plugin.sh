#!/bin/sh
# Executable of a bundled plugin. The language host of the same engine may have made a provider ready (ready-providers.ts),
# which is quicker than to start Node.js once more. One is taken once: the engine starts a provider for each configuration.
# Needs nothing on the PATH but `node`.
name=${0##*/pulumi-}
for engine in "$@"; do :; done # The last argument.
ready=${PULUMI_HOME:-$HOME/.pulumi}/ready-providers/$PPID-$engine/${name#resource-}
if [ -r "$ready" ] && (set -C && : >"$ready.taken") 2>/dev/null && read -r port <"$ready"; then
  echo "$port"
  while read -r _; do :; done # Until the engine ends it, or has ended.
  exit
fi
script=$(command -p readlink -f "$0")
here=${script%/*}
[ -e "$here/main.mjs" ] || exec node "$here/../toolchain/program/run.js" plugins/main.ts "$name" "$@" # From source.
exec node "$here/main.mjs" "$name" "$@"
