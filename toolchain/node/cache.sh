# Sets $cache, the folder for what all clones share, as cacheRoot() in toolchain/cache.ts does, and marks it as a cache
# before anything is put there, as toolchain/own-cache.ts does.
# shellcheck shell=sh
cache=${KINDOWS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kindows}
mark=$cache/.kindows-cache
if [ ! -e "$mark" ]; then
  if [ -n "$(ls -A "$cache" 2>/dev/null)" ]; then
    echo "kindows: $cache (KINDOWS_CACHE) is no cache of kindows: there are other files in it. Set KINDOWS_CACHE to a folder that is empty or does not exist; or, if this is a cache of an earlier version: touch '$mark'" >&2
    exit 1
  fi
  mkdir -p "$cache"
  : >"$mark"
fi
