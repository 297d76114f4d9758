from __future__ import annotations

import pytest

from engine.errors import StoreError
from engine.store.library import Library
from tests.engine.store.children import end, start


@pytest.fixture
def library(tmp_path):
    return Library(tmp_path / "home" / "flows.json")


def flow(flow_id, name="", **more):
    return {"format": "loopwright.flow", "version": 1, "id": flow_id, "name": name, **more}


def test_a_flow_is_found_by_id_and_by_name(library):
    document = flow("f1", "Greeting", variables=[{"name": "x", "default": 2**80}])

    entry = library.save(document)

    assert library.get("f1").document == document
    assert library.get("Greeting").entry == entry
    assert (entry.id, entry.name, entry.revision) == ("f1", "Greeting", 1)
    assert library.all() == [entry]


def test_each_save_makes_a_new_revision_and_keeps_the_first_date(library):
    first = library.save(flow("f1", "A", notes=[1]))

    second = library.save(flow("f1", "B"))

    assert second.revision == 2
    assert second.created == first.created
    assert library.get("f1").document == flow("f1", "B")
    assert len(library.all()) == 1


def test_an_id_counts_before_a_name(library):
    library.save(flow("f1", "f2"))
    library.save(flow("f2", "other"))

    assert library.get("f2").entry.name == "other"


def test_a_name_that_several_flows_share_is_refused_with_their_ids(library):
    library.save(flow("f1", "Same"))
    library.save(flow("f2", "Same"))

    for use in (library.get, library.delete, lambda name: library.rename(name, "x")):
        with pytest.raises(StoreError, match=r"2 flows are called 'Same'\. .*f1, f2"):
            use("Same")
    assert len(library.all()) == 2


def test_an_unknown_flow_is_refused_with_the_nearest(library):
    with pytest.raises(StoreError, match="The library is empty"):
        library.get("Greting")
    library.save(flow("f1", "Greeting"))

    for use in (library.get, library.delete, lambda name: library.rename(name, "x")):
        with pytest.raises(StoreError, match="Did you mean 'Greeting'"):
            use("Greting")


def test_a_renamed_flow_has_its_name_in_the_document_too(library):
    library.save(flow("f1", "Old", nodes=[]))

    entry = library.rename("Old", "New")

    assert (entry.revision, entry.name) == (2, "New")
    assert library.get("New").document == flow("f1", "New", nodes=[])
    with pytest.raises(StoreError, match="must not be empty"):
        library.rename("New", "  ")


def test_a_deleted_flow_is_gone(library):
    library.save(flow("f1", "A"))
    library.save(flow("f2", "B"))

    assert library.delete("A").id == "f1"

    assert [entry.id for entry in library.all()] == ["f2"]


def test_a_flow_that_was_saved_elsewhere_is_not_saved_over(library):
    seen = library.save(flow("f1", "A"), expected_revision=0)
    library.save(flow("f1", "A", notes=["theirs"]))

    with pytest.raises(StoreError, match="saved elsewhere meanwhile: revision 2, not 1"):
        library.save(flow("f1", "A"), expected_revision=seen.revision)
    with pytest.raises(StoreError, match="no longer in the library"):
        library.save(flow("f9", "A"), expected_revision=3)
    assert library.get("f1").document["notes"] == ["theirs"]


@pytest.mark.parametrize("document", [{}, {"id": ""}, {"id": 7}, {"id": "a", "name": None}])
def test_a_document_without_id_or_with_a_strange_name_is_refused(library, document):
    with pytest.raises(StoreError):
        library.save(document)
    assert library.all() == []


def test_a_damaged_library_is_kept_aside_and_told(library, tmp_path):
    library.save(flow("f1", "A"))
    path = tmp_path / "home" / "flows.json"
    damaged = path.read_bytes().replace(b"f1", b"f2")
    path.write_bytes(damaged)

    with pytest.raises(StoreError, match=r"library of flows 'flows\.json' is damaged and has been"):
        library.save(flow("f3"))

    (copy,) = library.damaged_copies()
    assert copy.read_bytes() == damaged


RACER = """
import sys
from pathlib import Path
from engine.store.library import Library

library, name = Library(Path(sys.argv[1])), sys.argv[2]
print(flush=True)
sys.stdin.readline()
for n in range(15):
    library.save({"id": f"{name}-{n}", "name": "x"})
    library.save({"id": "shared"})
"""


def test_two_programs_that_save_at_once_lose_nothing(library, tmp_path):
    children = [start(RACER, tmp_path / "home" / "flows.json", name) for name in ("a", "b")]
    for child in children:
        child.stdout.readline()
    for child in children:
        child.stdin.write(b"\n")
        child.stdin.flush()
    for child in children:
        end(child)

    assert len(library.all()) == 31
    assert library.get("shared").entry.revision == 30
