from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.engine.cli.calls import approval, chain, counting, flow_file, node
from tests.engine.cli.processes import LIMIT_S, Terminal, environment, start

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no such terminals")


def waiting_flow(tmp_path, seconds=60):
    nodes = [node("start", "start"), node("nap", "wait", seconds=seconds)]
    return flow_file(tmp_path, "nap", nodes, chain("start", "nap"))


def begun(process: subprocess.Popen[str]) -> str:
    """Reads until the long step has begun."""
    text = ""
    while "nap ..." not in text:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        text += line
    return text


def test_ctrl_c_stops_a_run_so_that_it_can_be_resumed(call, tmp_path):
    process = start("run", waiting_flow(tmp_path))
    begun(process)

    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 130
    assert "stopped" in out
    assert "loopwright resume" in out
    assert "Traceback" not in err
    [listed] = call("runs", "--json").json["runs"]
    assert listed["status"] == "stopped"


def test_a_request_to_end_stops_the_run_with_5(tmp_path):
    process = start("run", waiting_flow(tmp_path), "--stream")
    begun(process)

    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=LIMIT_S)

    assert process.returncode == 5


def test_a_stopped_run_prints_its_json_all_the_same(tmp_path, loopwright_home):
    process = start("run", waiting_flow(tmp_path), "--json")
    journals = loopwright_home / "runs"
    wait_until_waiting(process, journals)

    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 130
    assert json.loads(out)["status"] == "stopped"


def wait_until_waiting(process, runs):
    import time

    end = time.monotonic() + LIMIT_S
    while not any(b"step_started" in path.read_bytes() for path in runs.glob("*/journal.log")):
        assert time.monotonic() < end
        assert process.poll() is None


def test_a_killed_run_shows_as_broken_off_and_goes_on(call, tmp_path):
    process = start("run", waiting_flow(tmp_path, seconds=0.4))
    begun(process)
    process.kill()
    process.communicate(timeout=LIMIT_S)

    [listed] = call("runs", "--json").json["runs"]
    done = call("resume", "last", "--json")

    assert listed["status"] == "stopped"
    assert done.code == 0
    assert [step["node"] for step in done.json["steps"]] == ["start", "nap"]


def test_a_run_that_another_program_has_open_is_refused_and_shows_as_running(call, tmp_path):
    process = start("run", waiting_flow(tmp_path))
    begun(process)

    done = call("resume", "last", "--json")
    deleted = call("runs", "delete", "last", "--json")
    shown = call("runs", "show", "last", "--json")
    [listed] = call("runs", "--json").json["runs"]
    process.kill()
    process.communicate(timeout=LIMIT_S)

    assert done.code == 2
    assert done.json["error"]["kind"] == "run_locked"
    assert str(process.pid) in done.json["error"]["message"]
    assert deleted.code == 2
    assert listed["status"] == "running"
    assert shown.json["status"] == "running"


def test_whoever_reads_may_leave_early(tmp_path):
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [sys.executable, "-m", "engine", "run", str(counting(tmp_path))],
        stdout=write,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    os.close(write)

    _, err = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 0
    assert err == b""


def test_a_plain_run_loads_no_heavy_library_before_it_has_ended(tmp_path):
    flow = counting(tmp_path)
    program = (
        "import sys\n"
        "from engine.cli import conduct\n"
        "from engine.cli.main import main\n"
        "heavy = {'tinydb', 'rich', 'jsonschema', 'rapidfuzz', 'json_repair', 'jsonpath_ng',"
        " 'pydantic_monty', 'quickjs', 'platformdirs'}\n"
        "conduct.enter_run = lambda *_: print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
        f"sys.exit(main(['run', {str(flow)!r}]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment()
    )

    assert done.returncode == 0
    assert done.stderr == "[]\n"


def test_questions_are_asked_at_the_terminal_until_the_end(tmp_path):
    terminal = Terminal("run", approval(tmp_path))

    terminal.wait_for(r"Your question: ")
    terminal.type("Ann\n")
    terminal.wait_for(r"Send \*\*To Ann, try 0\*\*\?")
    terminal.wait_for(r"\[p\]roceed or \[r\]eject: ")
    terminal.type("what\n")
    terminal.wait_for(r"Please type p or r\.")
    terminal.type("r\n")
    terminal.wait_for(r"Why\? \(may stay empty\): ")
    terminal.type("longer\n")
    terminal.wait_for(r"try 1")
    terminal.wait_for(r"\[p\]roceed or \[r\]eject: ")
    terminal.type("p\n")
    terminal.wait_for(r"Sent: To Ann, try 1")
    terminal.wait_for("finished")
    assert terminal.end() == 0


def test_leaving_a_question_leaves_the_run_waiting(call, tmp_path):
    # A signal just before the terminal is read is only noticed with the next key: hence the \n.
    for leave, code in (("\x7f\x04", 4), ("\x03\n", 130)):
        terminal = Terminal("run", approval(tmp_path), "--question", "Ann")
        terminal.wait_for(r"\[r\]eject: ")
        # Its echo shows that the terminal is being listened to.
        terminal.type("z")
        terminal.wait_for("z")
        terminal.type(leave)
        terminal.wait_for("waiting for an answer")
        assert terminal.end() == code
        assert call("resume", "last", "--answer", '{"type": "proceed"}').code == 0


def test_a_second_ctrl_c_ends_at_once(tmp_path, loopwright_home):
    nodes = loopwright_home / "nodes"
    nodes.mkdir(parents=True)
    (nodes / "stubborn.py").write_text(
        "from typing import ClassVar\n"
        "import time\n"
        "from engine.node_type import Group, NodeMeta, NodeType, Output\n"
        "class Stubborn(NodeType):\n"
        "    '''Hears nothing.'''\n"
        "    meta: ClassVar[NodeMeta] = NodeMeta(type_id='stubborn', title='S',\n"
        "        group=Group.DO, icon='x', announces=True)\n"
        "    async def run(self, step):\n"
        "        print('deaf', flush=True)\n"
        "        time.sleep(60)\n"
        "        return Output(1)\n"
    )
    flow = flow_file(
        tmp_path, "s", [node("start", "start"), node("s", "stubborn")], chain("start", "s")
    )
    terminal = Terminal("run", flow)
    terminal.wait_for("deaf")
    terminal.interrupt()
    terminal.wait_for("press again to end at once")
    terminal.interrupt()
    assert terminal.end() == 130


def test_a_form_is_asked_field_by_field_and_again_where_it_does_not_fit(tmp_path):
    fields = [
        {"name": "who", "label": "Who writes?", "required": True},
        {"name": "amount", "label": "Amount", "type": "number", "default": 5},
        {"name": "kind", "label": "Kind", "type": "choice", "options": ["good", "bad"],
         "required": True},
        {"name": "soon", "label": "Soon?", "type": "boolean", "required": True},
        {"name": "day", "label": "Day", "type": "date"},
    ]  # fmt: skip
    nodes = [
        node("start", "start", input_mode="form", form_fields=fields),
        node("more", "human_input", prompt="More", mode="form", form_fields=fields[:2]),
        node("pick", "human_input", prompt="Pick", mode="choose", options=["up", "down"]),
        node("text", "human_input", prompt="Text", mode="text"),
        node(
            "say",
            "direct_reply",
            template="{{ $form.who }} {{ $form.amount }} {{ $form.kind }} {{ $form.soon }}"
            " {{ more.output.form.amount }} {{ pick.output.choice }} {{ text.output.text }}",
        ),
    ]
    edges = chain("start", "more", "pick")
    edges.append(
        {"id": "u", "source": "pick", "target": "text", "data": {"route_key": "up"}},
    )
    edges.append({"id": "v", "source": "text", "target": "say", "data": {}})
    terminal = Terminal("run", flow_file(tmp_path, "form", nodes, edges), NO_COLOR="1")

    for prompt, typed in (
        (r"Who writes\?: ", ""),
        (r"Something must stand here", "Ann"),
        (r"Amount \(a number\) \[5\]: ", "x"),
        (r"Please give a number", "7"),
        (r"1\. good\s+2\. bad\s+Number: ", "3"),
        (r"from 1 to 2", "2"),
        (r"Soon\? \(y/n\): ", "y"),
        (r"Day \(such as 2026-01-31, may stay empty\): ", "soon"),
        (r"such as 2026-01-31", ""),
        (r"More[^?]*Who writes\?: ", "Bo"),
        (r"Amount \(a number\) \[5\]: ", ""),
        (r"1\. up\s+2\. down\s+Your choice: ", "1"),
        (r"Your answer: ", "well"),
    ):
        terminal.wait_for(prompt)
        terminal.type(f"{typed}\n")

    terminal.wait_for(r"Ann 7 bad true 5 up well")
    assert terminal.end() == 0
