#!/usr/bin/env bash
# Checks the signatures of the files whose checksums `kindows lock --update` has just added, where their publisher signs them:
# https://kubernetes.io/docs/tasks/administer-cluster/verify-signed-artifacts. Prints the others. Fails if a signature is
# wrong or missing, or a file is not the one whose checksum was added.
#
# Needs Go, which checks cosign itself by its public checksum database; COSIGN names another cosign.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cosign() {
  if [[ -n ${COSIGN:-} ]]; then
    "$COSIGN" "$@"
  else
    go run github.com/sigstore/cosign/v2/cmd/cosign@v2.6.5 "$@"
  fi
}

download() {
  curl --disable --fail --silent --show-error --location --proto =https --proto-redir =https \
    --connect-timeout 20 --max-time 900 --max-filesize 1G --output "$work/$2" "$1"
}

git diff --unified=0 -- software.lock.json | sed -n 's/^+  "\(https:[^"]*\)": {$/\1/p' >"$work/added"
while read -r url <&3; do
  case $url in
  https://dl.k8s.io/release/*)
    for part in "" .sig .cert; do download "$url$part" "file$part"; done
    cosign verify-blob "$work/file" --signature "$work/file.sig" --certificate "$work/file.cert" \
      --certificate-identity krel-staging@k8s-releng-prod.iam.gserviceaccount.com \
      --certificate-oidc-issuer https://accounts.google.com
    sha256=$(sha256sum <"$work/file")
    if ! grep --after-context 1 --fixed-strings "\"$url\"" software.lock.json | grep --quiet "\"${sha256%% *}\""; then
      echo "$url: the signed file has another checksum than was locked" >&2
      exit 1
    fi
    echo "signed: $url"
    ;;
  *) echo "not signed: $url" ;;
  esac
done 3<"$work/added"
