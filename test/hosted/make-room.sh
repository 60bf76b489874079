#!/usr/bin/env bash
# Removes from a GitHub runner for Ubuntu what a lab with a real Windows does not need: some 30 GB. Anywhere else it refuses.
set -euo pipefail

if [[ ${GITHUB_ACTIONS:-} != true || ${RUNNER_ENVIRONMENT:-} != github-hosted ]]; then
  echo "This is not a GitHub-hosted runner: nothing was removed." >&2
  exit 1
fi

df -h / /mnt
sudo rm -rf /usr/local/lib/android /usr/share/dotnet /opt/ghc /usr/local/.ghcup /opt/hostedtoolcache/CodeQL \
  /usr/share/swift /usr/local/share/boost /usr/local/share/powershell /opt/az
sudo docker image prune --all --force
df -h / /mnt
