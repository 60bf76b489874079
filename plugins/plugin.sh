#!/bin/sh
# Executable of a bundled plugin. The language host of the same engine may have made a provider ready (ready-providers.ts),
# which is quicker than to start Node.js once more. One is taken once: the engine starts a provider for each configuration.
name=${0##*/pulumi-}
for engine in "$@"; do :; done # The last argument.
ready=${PULUMI_HOME:-$HOME/.pulumi}/ready-providers/$PPID-$engine/${name#resource-}
if mv "$ready" "$ready.taken" 2>/dev/null && read -r port <"$ready.taken"; then
  echo "$port"
  exec cat >/dev/null # Until the engine ends it, or has ended.
fi
exec node "$(dirname "$(readlink -f "$0")")/main.mjs" "$name" "$@"
