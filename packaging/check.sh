#!/bin/sh
# Runs the checks, all of them even when one fails, and ends in failure if any did.
#
#   packaging/check.sh          style, layout, types, imports, tests
#   packaging/check.sh lint     all but the tests
set -u
cd "$(dirname "$0")/.."
bin=.venv/bin
failed=

check() {
    name=$1
    shift
    printf '\n== %s\n' "$name"
    if ! "$@"; then
        failed="$failed
  $name"
    fi
}

check "style (ruff check)" $bin/ruff check .
check "layout (ruff format)" $bin/ruff format --check .
check "types (mypy --strict)" $bin/mypy
check "imports (import-linter)" $bin/lint-imports --no-logo
if [ "${1:-}" != lint ]; then
    # One process per core: two cores run the suite in about half the time.
    check "tests (pytest)" $bin/python -m pytest -q -n auto
fi

if [ -n "$failed" ]; then
    printf '\nFailed:%s\n' "$failed"
    exit 1
fi
printf '\nAll checks passed.\n'
