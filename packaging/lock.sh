#!/bin/sh
# Writes requirements.lock (to run) and requirements-dev.lock (to work on it) from pyproject.toml.
#
#   packaging/lock.sh                           keeps the locked versions that still fit
#   packaging/lock.sh --upgrade                 takes the newest ones
#   packaging/lock.sh --upgrade-package NAME    takes the newest of one
set -eu
cd "$(dirname "$0")/.."

if [ ! -x .venv/bin/uv ]; then
    sh packaging/set_up.sh venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check uv
fi

# The files must not depend on this machine: no configuration, no index address, no local folders.
# Certificates are the system's, as behind a company's proxy.
compile() {
    output=$1
    shift
    echo "lock: $output"
    env -u UV_FIND_LINKS -u UV_CONSTRAINT -u UV_OVERRIDE -u UV_PRERELEASE \
        .venv/bin/uv pip compile --quiet --no-config --system-certs --universal --python-version 3.11 \
        --generate-hashes --no-emit-index-url --no-header --output-file "$output" "$@"
}

compile requirements.lock "$@" pyproject.toml
compile requirements-dev.lock "$@" --extra dev --constraint requirements.lock pyproject.toml
compile tests/bench/peers.lock "$@" tests/bench/peers.in
