"""The JSON Schema of flow files, made from the models; `python -m engine.flow.schema` ships it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.flow.document import Flow

SCHEMA_FILE = Path(__file__).parents[2] / "resources" / "schema" / "flow.schema.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
# A retry policy takes no unknown keys: one that is misspelt would silently do nothing.
_CLOSED = {"ErrorPolicy", "RetryPolicy"}


def flow_schema() -> dict[str, Any]:
    """The JSON Schema of a flow file of this version."""
    whole = Flow.model_json_schema(ref_template="#/$defs/{model}")
    parts = {name: _opened(name, part) for name, part in sorted(whole.pop("$defs").items())}
    flow = _opened("Flow", whole)
    flow["required"] = ["format", "version", "id"]
    flow["properties"]["pinned"]["additionalProperties"]["required"] = ["output"]
    flow |= {"title": "Loopwright flow", "description": "A flow file of Loopwright."}
    return {"$schema": _DIALECT, **flow, "$defs": parts}


def schema_text() -> str:
    """The text of the shipped schema file."""
    return json.dumps(flow_schema(), ensure_ascii=False, indent=2) + "\n"


def _opened(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """The schema of a part with unknown keys allowed, as they are kept, and `extra` last."""
    if name in _CLOSED or "properties" not in part:
        return part
    properties = dict(part["properties"])
    extra = properties.pop("extra")
    rest = {key: value for key, value in part.items() if key != "additionalProperties"}
    return {**rest, "properties": {**properties, "extra": extra}}


if __name__ == "__main__":
    SCHEMA_FILE.parent.mkdir(parents=True, exist_ok=True)
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
