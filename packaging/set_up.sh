#!/bin/sh
# Makes .venv, with the locked versions of everything that Loopwright needs, and Loopwright itself.
#
#   packaging/set_up.sh            everything
#   packaging/set_up.sh venv       only an empty .venv
#
# LOOPWRIGHT_PYTHON names the Python to use; else the first suitable one on the PATH is taken.
set -eu
cd "$(dirname "$0")/.."

# What Qt asks of a bare Debian or Ubuntu, without a display.
WINDOW_LIBRARIES="libgl1 libegl1 libxkbcommon0 libfontconfig1 libglib2.0-0 libdbus-1-3"

say() { printf 'set-up: %s\n' "$*"; }

give_up() {
    printf 'set-up: %s\n' "$@" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

can_make_environments() {
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

# The first Python on the PATH that passes the tests named; nothing when there is none.
find_python() {
    for python in ${LOOPWRIGHT_PYTHON:+"$LOOPWRIGHT_PYTHON"} \
        python3.13 python3.12 python3.11 python3 python; do
        suitable=yes
        for test in "$@"; do
            "$test" "$python" || suitable=no
        done
        if [ "$suitable" = yes ]; then
            printf '%s\n' "$python"
            return
        fi
        if [ -n "${LOOPWRIGHT_PYTHON:-}" ]; then
            return
        fi
    done
}

# Installs Debian packages, or says which command does.
need_debian_packages() {
    if [ "$(id -u)" != 0 ]; then
        give_up "these system packages are missing: $*" "Install them with: sudo apt-get install $*"
    fi
    say "installing the system packages $*"
    if ! DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null 2>&1; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
    fi
}

choose_python() {
    PYTHON=$(find_python is_new_enough can_make_environments)
    if [ -n "$PYTHON" ]; then
        return
    fi
    bare=$(find_python is_new_enough)
    if [ -z "$bare" ]; then
        give_up "Loopwright needs Python 3.11 or newer, and found none that runs: ${LOOPWRIGHT_PYTHON:-not on the PATH}." \
            "Install it (Debian, Ubuntu: apt-get install python3 python3-venv; macOS, Windows: python.org)," \
            "or name one: make LOOPWRIGHT_PYTHON=/path/to/python3.12 ..."
    fi
    if ! command -v apt-get >/dev/null 2>&1; then
        give_up "$bare cannot make virtual environments: its modules 'venv' or 'ensurepip' are missing." \
            "Install them, or name another Python: make LOOPWRIGHT_PYTHON=/path/to/python3.12 ..."
    fi
    need_debian_packages "$("$bare" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
    can_make_environments "$bare" || give_up "$bare still cannot make virtual environments." \
        "Name another Python: make LOOPWRIGHT_PYTHON=/path/to/python3.12 ..."
    PYTHON=$bare
}

# An environment that was moved, or whose Python is gone, is made anew.
environment_is_sound() {
    [ -x .venv/bin/python ] && is_new_enough .venv/bin/python && .venv/bin/python -c '
import os, sys, pip
home = os.path.join(os.path.realpath("."), ".venv")
recorded = open(".venv/bin/activate", encoding="utf-8").read()
sys.exit(home not in recorded)' >/dev/null 2>&1
}

make_environment() {
    if environment_is_sound; then
        return
    fi
    choose_python
    say "making .venv with $("$PYTHON" --version)"
    rm -rf .venv
    "$PYTHON" -m venv .venv
}

pip_install() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input "$@"
}

install_everything() {
    say "installing the locked packages"
    pip_install --require-hashes -r requirements-dev.lock || give_up \
        "the packages could not be installed; the lines above say why." \
        "Is there a network, and does pip know its index? (.venv/bin/python -m pip config list)"
    # The build backend is among the locked packages: nothing else is fetched.
    pip_install --no-deps --no-build-isolation --editable .
    # Ready-made bytecode: the first start is as quick as the later ones, also where Python may not
    # write any. It is only a help, so a fault here (a read-only folder) is no fault of the set-up.
    .venv/bin/python -m compileall -q engine editor || true
}

# Nothing to do while no package that the lock file names draws on a screen.
check_window_libraries() {
    if ! grep -qi '^pyside6' requirements.lock || ! command -v dpkg-query >/dev/null 2>&1; then
        return
    fi
    missing=
    for package in $WINDOW_LIBRARIES; do
        # On newer releases some carry the suffix t64.
        if ! dpkg-query -W -f '${Status}\n' "$package" "${package}t64" 2>/dev/null | grep -q ' installed$'; then
            missing="$missing $package"
        fi
    done
    if [ -n "$missing" ]; then
        # shellcheck disable=SC2086 # a list of package names
        need_debian_packages $missing
    fi
}

make_environment
if [ "${1:-}" != venv ]; then
    install_everything
    check_window_libraries
    say "ready"
fi
