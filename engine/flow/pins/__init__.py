"""Pins: the way to one value deep inside an output, or to its place deep inside an input."""

from __future__ import annotations

from engine.flow.pins.assembling import MOST_INDEX, PinClashError, assemble
from engine.flow.pins.encoded import (
    ToolPin,
    encode_pin,
    encode_tool_pin,
    parse_encoded_pin,
    parse_encoded_tool_pin,
)
from engine.flow.pins.extracting import Found, Miss, extract
from engine.flow.pins.path import EVERY, TOOLS_PIN, Pin, PinStep, parse_pin, pin_text

__all__ = [
    "EVERY",
    "MOST_INDEX",
    "TOOLS_PIN",
    "Found",
    "Miss",
    "Pin",
    "PinClashError",
    "PinStep",
    "ToolPin",
    "assemble",
    "encode_pin",
    "encode_tool_pin",
    "extract",
    "parse_encoded_pin",
    "parse_encoded_tool_pin",
    "parse_pin",
    "pin_text",
]
