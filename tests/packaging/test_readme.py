from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.flow.file import read_flow

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def flow_file(tmp_path: Path) -> Path:
    [text] = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    path = tmp_path / "kind-reply.flow.json"
    path.write_text(text, "utf-8")
    return path


def loopwright(*words: str) -> subprocess.CompletedProcess[str]:
    start = "import sys; from engine.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", start, *words],
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_flow_in_the_readme_has_twenty_lines_and_loads(flow_file):
    assert len(flow_file.read_text("utf-8").splitlines()) == 20
    assert read_flow(flow_file).name == "A kind reply"


def test_the_flow_in_the_readme_pauses_is_answered_and_ends(flow_file):
    checked = loopwright("validate", str(flow_file))
    assert checked.returncode == 0, checked.stdout + checked.stderr

    run = loopwright("run", str(flow_file), "--input", '{"question": "When?"}', "--json")
    assert run.returncode == 4, run.stderr
    run_id = json.loads(run.stdout)["run_id"]

    again = loopwright(
        "resume", run_id, "--answer", '{"type": "reject", "feedback": "Shorter."}', "--json"
    )
    assert again.returncode == 4, again.stderr

    end = loopwright("resume", run_id, "--answer", '{"type": "proceed"}', "--json")
    assert end.returncode == 0, end.stderr
    assert [step["node"] for step in json.loads(end.stdout)["steps"]] == [
        "start",
        "draft",
        "check",
        "draft",
        "check",
        "send",
    ]


def test_every_file_that_the_documents_point_at_exists():
    documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]

    for document in documents:
        for target in re.findall(r"\]\(([^)#\s]+)", document.read_text("utf-8")):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_every_room_and_file_on_the_map_exists():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| ((?:`[a-z/]+/`(?:, )?)+) \| (.*) \|$", text, re.MULTILINE)

    assert rows
    for rooms, files in rows:
        folders = [ROOT / room for room in re.findall(r"`([^`]+)`", rooms)]
        assert all(folder.is_dir() for folder in folders), rooms
        for name in re.findall(r"`([\w.]+(?:\.py|/))`", files):
            assert any((folder / name).exists() for folder in folders), f"{rooms}: {name}"


def test_every_make_target_that_the_documents_name_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    texts = [README, *(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))]

    named = set(re.findall(r"(?:`|^)make ([a-z-]+)", "\n".join(texts), re.MULTILINE))

    assert named >= {"run", "test"}
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
