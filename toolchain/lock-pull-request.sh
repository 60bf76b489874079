#!/usr/bin/env bash
# Offers the checksums that `kindows lock --update` has added as a pull request, one at a time. Does nothing without any.
# Needs GH_TOKEN; with a workflow's own token, the repository's setting that workflows may open pull requests.
set -euo pipefail
cd "$(dirname "$0")/.."

branch=lock-checksums
git add --all software.lock.json
if git diff --cached --quiet; then
  exit 0
fi
git -c user.name="github-actions[bot]" -c user.email="41898282+github-actions[bot]@users.noreply.github.com" \
  commit -m "Lock the checksums of new downloads"
gh auth setup-git
git push --force origin "HEAD:refs/heads/$branch"
if [[ $(gh pr list --head "$branch" --json number --jq length) == 0 ]]; then
  gh pr create --head "$branch" --title "Lock the checksums of new downloads" \
    --body "Their publishers give these checksums over HTTPS; the run has checked the signatures of those that Kubernetes signs, and lists the others. Compare these with another source before merging."
fi
