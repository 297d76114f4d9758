"""Reads and writes `*.flow.json`: nothing is lost, and a file is never left half written."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from engine.errors import FlowFileError
from engine.flow.atomic import read_regular_file, write_atomically
from engine.flow.document import FORMAT, VERSION, ErrorPolicy, Flow
from engine.flow.faults import validation_faults
from engine.flow.foreign import describe_foreign
from engine.flow.json_text import JsonTextError, dump_json, load_json
from engine.flow.migrations import STEPS, migrate
from engine.flow.names import ended
from engine.flow.schema import flow_schema as flow_schema
from engine.flow.soundness import structure_faults

SUFFIX = ".flow.json"
_SHOWN_FAULTS = 3


def read_flow(path: str | Path) -> Flow:
    """The flow in a file.

    Raises:
        FlowFileError: It cannot be read, is no flow, or is not sound; says where, and what to try.
    """
    path = Path(path)
    return flow_from_json(_decoded(read_regular_file(path, SUFFIX), str(path)), str(path))


def write_flow(path: str | Path, flow: Flow) -> None:
    """Puts a flow into a file, wholly or not at all.

    Raises:
        FlowFileError: It cannot be written, or could not be read again; an older file stays as
            it was.
    """
    for fault in structure_faults(flow):
        raise _not_sound(str(path), [fault])
    write_atomically(Path(path), flow_to_json(flow).encode())


def flow_from_json(source: str | Mapping[str, Any], where: str) -> Flow:
    """The flow in a JSON text or in plain data; the data are copied.

    Args:
        source: Text of a flow file, or what such a text holds.
        where: What the source is called in messages, for example the path of its file.

    Raises:
        FlowFileError: No flow, a newer version, or not sound.
    """
    try:
        data = load_json(source) if isinstance(source, str) else load_json(dump_json(source))
    except JsonTextError as fault:
        raise _no_json(source, where, fault) from fault
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise _foreign(data, where)
    data = migrate(data, _version(data, where))
    try:
        return Flow.model_validate(data)
    except ValidationError as error:
        raise _not_sound(where, validation_faults(error, data)) from error


def flow_to_json(flow: Flow) -> str:
    """The text of a flow file: stable order, two-space indent, a newline at the end.

    Raises:
        FlowFileError: The flow holds a value that JSON has no form for.
    """
    try:
        return dump_json(plain_data(flow)) + "\n"
    except JsonTextError as fault:
        msg = f"The flow '{flow.name or flow.id}' cannot be written: {fault}."
        hint = "Flows hold text, numbers, true, false, null, lists and objects with text names."
        raise FlowFileError(msg, hint) from fault


def flow_data(flow: Flow) -> dict[str, Any]:
    """The flow as the plain data of its file, apart from the flow: changing one leaves the other.

    Ids come first and unknown keys last, under `extra`.
    """
    data: dict[str, Any] = copy.deepcopy(plain_data(flow))
    return data


def plain_data(value: object) -> Any:
    """A part of a flow as the data of its file; configurations are shared, not copied."""
    if isinstance(value, ErrorPolicy) and value.retry is None:
        return value.policy
    if isinstance(value, BaseModel):
        held = value.__dict__
        fields = type(value).__pydantic_fields__
        plain = {name: plain_data(held[name]) for name in fields if name != "extra"}
        return {**plain, "extra": held["extra"]} if held.get("extra") else plain
    if isinstance(value, tuple):
        return [plain_data(item) for item in value]
    return value


def _decoded(content: bytes, where: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        msg = f"{where}: line {line} is not UTF-8 text."
        raise FlowFileError(msg, "Save the file again as UTF-8.", str(fault)) from fault
    if not text.strip():
        hint = "Was it cut off? Look for an older version, or start a new flow."
        raise FlowFileError(f"{where}: the file is empty.", hint)
    return text


def _no_json(source: object, where: str, fault: JsonTextError) -> FlowFileError:
    if not isinstance(source, str):
        return FlowFileError(f"{where}: not a flow: {fault}.", "Give plain JSON data.")
    place = f"{where}, {fault.place}" if fault.place else where
    hint = "Open the file in a text editor and mend that place, or take an older version."
    return FlowFileError(f"{place}: {fault.what}.", hint)


def _foreign(data: object, where: str) -> FlowFileError:
    named = data.get("format") if isinstance(data, dict) else None
    if isinstance(named, str):
        msg = f"{where}: not a flow: its format is {named[:60]!r}, not '{FORMAT}'."
        return FlowFileError(msg, "Is this the right file? Flow files end in .flow.json.")
    what, hint = describe_foreign(data)
    return FlowFileError(f"{where}: not a Loopwright flow: {what}.", hint)


def _version(data: dict[str, Any], where: str) -> int:
    version = data.get("version")
    known = f'This Loopwright writes "version": {VERSION}.'
    if "version" not in data:
        raise FlowFileError(f"{where}: the format version is missing.", known)
    if not isinstance(version, int) or isinstance(version, bool):
        msg = f"{where}: version must be a whole number, not {_value_words(version)}."
        raise FlowFileError(msg, known)
    if version > VERSION:
        msg = (
            f"{where}: the flow is written in format version {_shown(version)}; "
            f"this Loopwright reads up to version {VERSION}."
        )
        hint = f"Open it with a newer Loopwright that reads version {_shown(version)}."
        raise FlowFileError(msg, hint)
    if version < VERSION and version not in STEPS:
        raise FlowFileError(f"{where}: there is no format version {_shown(version)}.", known)
    return version


def _value_words(value: object) -> str:
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return repr(value)[:40]


def _shown(number: int) -> str:
    """A number that fits into a message."""
    text = str(number)
    return text if len(text) <= 20 else f"{text[:12]}… ({len(text)} digits)"


def _not_sound(where: str, faults: list[str]) -> FlowFileError:
    shown = "; ".join(faults[:_SHOWN_FAULTS])
    more = len(faults) - _SHOWN_FAULTS
    tail = f"; and {more} more" if more > 0 else ""
    hint = "Mend that place in a text editor, or take an older version."
    return FlowFileError(f"{where}: {ended(f'{shown}{tail}')}", hint, "\n".join(faults))
