from __future__ import annotations

import pytest
from pydantic import ValidationError

from engine.errors import StoreError
from engine.store.document_file import DocumentFile
from engine.store.settings import (
    ModelService,
    NodeLimits,
    Settings,
    SettingsStore,
    parse_settings,
)


@pytest.fixture
def store(tmp_path):
    return SettingsStore(tmp_path / "settings.json")


FILLED = Settings(
    models=(ModelService(name="local", address="http://localhost:11434/v1", models=("a", "b")),),
    variables={"name": "Ada", "big": 2**70, "nothing": None, "deep": {"list": [1.0, {}]}},
    limits=NodeLimits(max_steps=10, code_seconds=2.5),
)


def test_settings_are_read_back_as_they_were_saved(store):
    assert store.load() == Settings()

    store.save(FILLED)

    assert store.load() == FILLED


def test_a_change_starts_from_what_is_saved_now(store):
    store.save(FILLED)

    changed = store.change(lambda now: now.model_copy(update={"variables": {"x": 1}}))

    assert changed.limits == FILLED.limits
    assert store.load() == changed


def test_settings_of_other_versions_stay(store, tmp_path):
    file = DocumentFile(tmp_path / "settings.json", "loopwright.settings", "settings")
    with file.changing() as database:
        database.table("settings").insert({"key": "from_the_future", "value": 7})

    store.save(FILLED)

    assert store.load() == FILLED
    with file.reading() as database:
        assert database.table("settings").all()[0] == {"key": "from_the_future", "value": 7}


@pytest.mark.parametrize("name", ["key", "api_key", "password"])
def test_a_key_has_no_place_in_the_settings(name):
    with pytest.raises(ValidationError):
        ModelService.model_validate({"name": "local", name: "sk-123"})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"limits": {"max_steps": 0}}, "max_steps must be at least 1"),
        ({"models": [{"name": ""}]}, "name must not be empty"),
        ({"models": [{"name": "a"}, {"name": "a"}]}, "two model services are called 'a'"),
        ({"modles": []}, "modles is not known here"),
    ],
)
def test_wrong_settings_are_refused_in_words(values, words):
    with pytest.raises(StoreError) as caught:
        parse_settings(values)

    assert words in caught.value.message


def test_damaged_settings_are_kept_aside_and_told(store, tmp_path):
    store.save(FILLED)
    (tmp_path / "settings.json").write_bytes(b"{}")

    with pytest.raises(StoreError, match="damaged"):
        store.load()
    assert len(store.damaged_copies()) == 1
