from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.engine.cli.calls import counting
from tests.engine.cli.processes import LIMIT_S, environment

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk to be had")


def shell(tail: str, *words: object, stdin: int = subprocess.DEVNULL):
    """The program with its streams as a shell's redirections leave them."""
    command = ["sh", "-c", f'exec "$@" {tail}', "sh", sys.executable, "-m", "engine"]
    return subprocess.run(
        [*command, *map(str, words)],
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env=environment(),
    )


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_full_disk_behind_the_output_is_one_sentence_and_the_run_is_kept(call, tmp_path, words):
    done = shell(">/dev/full", "run", counting(tmp_path), *words)

    assert done.returncode == 3
    assert done.stderr == "loopwright: the output could not be written: no space left\n"
    [listed] = call("runs", "--json").json["runs"]
    assert listed["status"] == "finished"


@pytest.mark.parametrize("words", [("--help",), ("run", "--help"), ("nodes",), ("--version",)])
def test_help_that_cannot_be_written_is_told_too(words):
    done = shell(">/dev/full", *words)

    assert done.returncode == 3
    assert done.stderr == "loopwright: the output could not be written: no space left\n"


def test_words_that_nobody_can_read_change_no_exit_code():
    assert shell("2>/dev/full", "bogus").returncode == 2
    assert shell("2>&- >&-", "bogus").returncode == 2


@pytest.mark.parametrize("tail", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_missing_stream_changes_nothing_else(call, tmp_path, tail, words):
    done = shell(tail, "run", counting(tmp_path), *words)

    assert done.returncode == 0
    assert done.stderr == ""
    [listed] = call("runs", "--json").json["runs"]
    assert call("runs", "steps", listed["run_id"]).code == 0


def test_a_missing_output_with_an_error_still_ends_with_its_code(tmp_path):
    done = shell(">&-", "run", tmp_path / "nothing.flow.json", "--json")

    assert done.returncode == 2
    assert "There is no file" in done.stderr


def test_json_of_a_mistake_comes_even_when_the_words_cannot(tmp_path):
    done = shell("2>/dev/full", "run", tmp_path / "nothing.flow.json", "--json")

    assert json.loads(done.stdout)["error"]["kind"] == "usage"
