"""Every change a person can make to a flow, as a pure function from flow to flow.

No edit changes what it is given; each one ends in a sound flow or raises `FlowCheckError`. Values
passed in are copied, so that their owner may go on changing them.
"""

from __future__ import annotations

from engine.flow.edits.base import Path, Rewrite, TextPlace, free_edge_id, free_name
from engine.flow.edits.clipboard import (
    FlowPart,
    copy_part,
    duplicate,
    part_from_json,
    part_to_json,
    paste_part,
)
from engine.flow.edits.config import (
    remove_config,
    remove_route_key,
    rename_route_key,
    replace_config,
    set_config,
)
from engine.flow.edits.edges import (
    add_edge,
    reconnect_edge,
    remove_edges,
    reorder_edges,
    set_edge_data,
    set_waypoints,
)
from engine.flow.edits.nodes import (
    add_node,
    move_nodes,
    remove_nodes,
    rename_node_id,
    set_concurrency,
    set_disabled,
    set_join,
    set_label,
    set_node_fields,
    set_node_notes,
    set_on_error,
    set_parent,
    set_save_as,
    set_timeout,
    with_insides,
)
from engine.flow.edits.notes import add_note, change_note, remove_notes
from engine.flow.edits.whole import (
    add_variable,
    change_variable,
    pin_output,
    remove_variable,
    rename_variable,
    reorder_variables,
    set_description,
    set_name,
    set_settings,
    set_viewport,
    unpin_output,
)
from engine.flow.edits.wiring import delete_and_heal, insert_on_edge

__all__ = [
    "FlowPart",
    "Path",
    "Rewrite",
    "TextPlace",
    "add_edge",
    "add_node",
    "add_note",
    "add_variable",
    "change_note",
    "change_variable",
    "copy_part",
    "delete_and_heal",
    "duplicate",
    "free_edge_id",
    "free_name",
    "insert_on_edge",
    "move_nodes",
    "part_from_json",
    "part_to_json",
    "paste_part",
    "pin_output",
    "reconnect_edge",
    "remove_config",
    "remove_edges",
    "remove_nodes",
    "remove_notes",
    "remove_route_key",
    "remove_variable",
    "rename_node_id",
    "rename_route_key",
    "rename_variable",
    "reorder_edges",
    "reorder_variables",
    "replace_config",
    "set_concurrency",
    "set_config",
    "set_description",
    "set_disabled",
    "set_edge_data",
    "set_join",
    "set_label",
    "set_name",
    "set_node_fields",
    "set_node_notes",
    "set_on_error",
    "set_parent",
    "set_save_as",
    "set_settings",
    "set_timeout",
    "set_viewport",
    "set_waypoints",
    "unpin_output",
    "with_insides",
]
