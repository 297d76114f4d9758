from __future__ import annotations

from pathlib import Path

import pytest

from engine.node_help import help_page, write_pages
from engine.registry import NodeRegistry, default_registry

PAGES = Path(__file__).resolve().parents[2] / "docs" / "nodes"


def test_the_pages_in_the_documentation_are_current(tmp_path):
    written = write_pages(tmp_path, NodeRegistry())

    stored = {file.name: file.read_text(encoding="utf-8") for file in PAGES.glob("*.md")}
    current = {file.name: file.read_text(encoding="utf-8") for file in written}
    assert stored == current, "write them anew: python -m engine.node_help docs/nodes"


@pytest.mark.parametrize("type_id", default_registry().type_ids())
def test_a_page_is_a_sound_table(type_id):
    page = help_page(default_registry().get(type_id))

    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert {row.replace("\\|", "").count("|") for row in rows} <= {6}
    assert "## Ways out" in page
    assert "## Example" in page
