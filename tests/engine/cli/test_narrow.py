"""What a terminal of 60 columns shows, and texts that no layout may change."""

from __future__ import annotations

import re
import sys

import pytest

from tests.engine.cli.calls import approval, chain, flow_file, node
from tests.engine.cli.processes import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such terminals")

TEXT = (
    "# Title\n2 * 3 and __init__ stay, <b>so</b> does this, however long the line becomes at last\n"
    "\n    deeper\n- one\n- two"
)


def shown(*words: object) -> list[str]:
    terminal = Terminal(*words, COLUMNS="60")
    terminal.end()
    return terminal.text.replace("\r\n", "\n").split("\n")


def test_an_answer_is_shown_as_it_is_and_wrapped(tmp_path):
    nodes = [node("start", "start"), node("say", "direct_reply", template=TEXT)]
    lines = shown("run", flow_file(tmp_path, "text", nodes, chain("start", "say")))

    begin = lines.index("  # Title")
    assert lines[begin : begin + 7] == [
        "  # Title",
        "  2 * 3 and __init__ stay, <b>so</b> does this, however long",
        "  the line becomes at last",
        "",
        "      deeper",
        "  - one",
        "  - two",
    ]


def test_a_question_is_shown_as_it_is_and_once_only(tmp_path):
    nodes = [node("start", "start"), node("ask", "human_input", prompt=TEXT)]
    terminal = Terminal("run", flow_file(tmp_path, "ask", nodes, chain("start", "ask")))

    terminal.wait_for(r"  # Title\r\n  2 \* 3 and __init__ stay, <b>so</b> does this")
    terminal.wait_for(r"\r\n\r\n      deeper\r\n  - one\r\n  - two\r\n")
    terminal.wait_for(r"\[r\]eject: ")
    terminal.type("z")
    terminal.wait_for("z")
    terminal.type("\x03\n")
    terminal.wait_for(r"Interrupted: the run waits; resume with\r\n  loopwright resume \S+")
    assert terminal.end() == 130
    assert "# Title" not in terminal.text


@pytest.mark.parametrize(
    "words", [("doctor",), ("nodes",), ("runs", "list"), ("validate", "FLOW"), ("run", "no such")]
)
def test_nothing_is_wider_than_the_terminal(call, tmp_path, words):
    flow = approval(tmp_path, "a-long-name-of-a-flow-that-leaves-no-room-for-anything-else")
    call("run", flow)

    lines = shown(*(flow if word == "FLOW" else word for word in words))

    # What is to be copied, such as a path, is not split.
    wide = [line for line in lines if len(line) > 60 and not re.fullmatch(r" *\S+", line)]
    assert wide == []
    assert len(lines) > 2


def test_the_beginnings_in_a_narrow_list_of_runs_find_them(call, tmp_path):
    for _ in range(3):
        call("run", approval(tmp_path))

    lines = [line for line in shown("runs", "list") if re.match(r"\d{8}-", line)]

    assert len(lines) == 3
    assert (
        len({call("runs", "show", line.split()[0], "--json").json["run_id"] for line in lines}) == 3
    )
