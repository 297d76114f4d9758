"""The flow document: frozen pydantic models, the one definition of what a flow is.

The editor, the command line and the interpreter read the same models; a change is a pure
function in `engine.flow.edits` that returns a new `Flow`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from engine.flow.soundness import structure_faults

FORMAT: Literal["loopwright.flow"] = "loopwright.flow"
VERSION: Literal[1] = 1

EdgeType = Literal["normal", "conditional", "loop_back"]
JoinPolicy = Literal["all", "any", "first", "collect"]
ErrorPolicyName = Literal["stop", "continue", "branch"]
VariableType = Literal["any", "string", "number", "integer", "boolean", "list", "object"]
ReducerName = Literal["replace", "append", "extend", "add", "merge", "min", "max", "union"]

# Strict, so that a whole number stays one and is written as it came; bounded, so that it fits
# every clock and canvas.
_FAR = 1_000_000_000
_COORDINATE = Field(strict=True, ge=-_FAR, le=_FAR, allow_inf_nan=False)
_POSITIVE = Field(strict=True, gt=0, le=_FAR, allow_inf_nan=False)
_WHOLE_COORDINATE = Field(strict=True, ge=-_FAR, le=_FAR)
_WHOLE_POSITIVE = Field(strict=True, gt=0, le=_FAR)
Number = Annotated[int, _WHOLE_COORDINATE] | Annotated[float, _COORDINATE]
PositiveNumber = Annotated[int, _WHOLE_POSITIVE] | Annotated[float, _POSITIVE]


class Part(BaseModel):
    """Base of every part of the document: frozen, and unknown keys survive under `extra`."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    extra: dict[str, Any] = Field(
        default_factory=dict,
        description="Keys that this version does not know; kept and written back.",
        exclude_if=lambda value: not value,
    )

    @model_validator(mode="before")
    @classmethod
    def _keep_unknown_keys(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        fields = cls.__pydantic_fields__
        if data.keys() <= fields.keys():
            return data
        unknown = {key: value for key, value in data.items() if key not in fields}
        known = {key: value for key, value in data.items() if key in fields}
        known["extra"] = _with_unknown_keys(data.get("extra", {}), unknown)
        return known


def _with_unknown_keys(extra: object, unknown: dict[str, Any]) -> object:
    if not isinstance(extra, dict):
        return extra
    for key in unknown.keys() & extra.keys():
        if unknown[key] != extra[key]:
            msg = f"'{key}' stands twice with different values: once here and once under 'extra'"
            raise ValueError(msg)
    return {**extra, **unknown}


class Position(Part):
    """A point on the canvas, in scene units, y down."""

    x: Number = 0
    y: Number = 0


class Size(Part):
    """Width and height on the canvas, in scene units."""

    w: Number = 200
    h: Number = 120


class Viewport(Part):
    """What part of the canvas was last looked at."""

    x: Number = 0
    y: Number = 0
    zoom: PositiveNumber = 1


class RetryPolicy(BaseModel):
    """How often and when a failed step is tried again.

    `on` names the kinds of error that are tried again; empty means every kind.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    attempts: int = Field(default=3, ge=1, le=100, description="Tries in all, the first included.")
    wait: float = Field(default=1.0, ge=0, description="Seconds before the second try.")
    backoff: float = Field(default=2.0, ge=1, description="Factor on the wait after each try.")
    jitter: float = Field(default=0.0, ge=0, le=1, description="Random share of the wait.")
    on: tuple[str, ...] = ()


class ErrorPolicy(BaseModel):
    """What follows when a node fails: tries again, then stops, continues or branches."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    policy: ErrorPolicyName = "stop"
    retry: RetryPolicy | None = None

    @model_validator(mode="before")
    @classmethod
    def _accept_a_bare_name(cls, data: object) -> object:
        if data == "retry":
            return {"retry": {}}
        return {"policy": data} if isinstance(data, str) else data

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        whole = handler.resolve_ref_schema(handler(core_schema))
        names = [*get_args(ErrorPolicyName), "retry"]
        return {"anyOf": [{"type": "string", "enum": names}, whole], "title": "ErrorPolicy"}


class Variable(Part):
    """A flow variable: declared name, type, first value, and how writes combine."""

    name: str = Field(min_length=1)
    type: VariableType = "any"
    default: Any = None
    reducer: ReducerName = "replace"
    description: str = ""


class FlowSettings(Part):
    """Limits and defaults of the whole flow."""

    max_steps: int = Field(default=1000, ge=1)
    max_iterations: int = Field(default=10, ge=1)
    max_concurrency: int = Field(default=8, ge=1, le=1000)
    on_error: ErrorPolicyName = "stop"


class Node(Part):
    """One node: its type, the values of its fields, and what every node has."""

    id: str = Field(min_length=1)
    type: str = Field(min_length=1)
    label: str = ""
    position: Position = Position()
    config: dict[str, Any] = Field(default_factory=dict)
    join: JoinPolicy = "all"
    parent: str | None = Field(default=None, description="Id of the iteration that holds it.")
    on_error: ErrorPolicy | None = None
    timeout_s: PositiveNumber | None = None
    concurrency: int = Field(default=1, ge=1)
    save_as: str | None = Field(default=None, description="A variable that takes its output.")
    disabled: bool = False
    notes: str = ""

    @property
    def title(self) -> str:
        """What a person calls it: its label, else its id."""
        return self.label or self.id


class EdgeData(Part):
    """Everything about an edge but its two ends."""

    edge_type: EdgeType = "normal"
    route_key: str | None = None
    source_handle_id: str | None = None
    label: str = ""
    condition: str | None = None
    waypoints: tuple[Position, ...] = ()
    source_pin: str | None = None
    target_pin: str | None = None
    static: bool = False


class Edge(Part):
    """A connection from one node to another."""

    id: str = Field(min_length=1)
    source: str
    target: str
    data: EdgeData = EdgeData()


class Note(Part):
    """A remark on the canvas; never runs."""

    id: str = Field(min_length=1)
    text: str = ""
    position: Position = Position()
    size: Size = Size()
    color: str = "#fff7c2"


class Flow(Part):
    """A whole flow. Frozen: change it with `engine.flow.edits`."""

    format: Literal["loopwright.flow"] = FORMAT
    version: Literal[1] = VERSION
    id: str = Field(min_length=1)
    name: str = ""
    description: str = ""
    variables: tuple[Variable, ...] = ()
    settings: FlowSettings = FlowSettings()
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    notes: tuple[Note, ...] = ()
    viewport: Viewport = Viewport()
    pinned: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        for fault in structure_faults(self):
            raise ValueError(fault)
        return self

    def __copy__(self) -> Self:
        # The look-up tables belong to the parts they were made from: a changed copy makes its own.
        copied = super().__copy__()
        for name in _LOOK_UPS:
            copied.__dict__.pop(name, None)
        return copied

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return super(Flow, self.__copy__()).__deepcopy__(memo)

    def __getstate__(self) -> dict[Any, Any]:
        return super(Flow, self.__copy__()).__getstate__()

    @cached_property
    def node_by_id(self) -> Mapping[str, Node]:
        """Every node under its id."""
        return MappingProxyType({node.id: node for node in self.nodes})

    @cached_property
    def edge_by_id(self) -> Mapping[str, Edge]:
        """Every edge under its id."""
        return MappingProxyType({edge.id: edge for edge in self.edges})

    @cached_property
    def variable_by_name(self) -> Mapping[str, Variable]:
        """Every declared variable under its name."""
        return MappingProxyType({variable.name: variable for variable in self.variables})

    @cached_property
    def edges_from(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges that leave each node, in document order."""
        return _grouped(self, "source")

    @cached_property
    def edges_to(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges that enter each node, in document order."""
        return _grouped(self, "target")

    def children(self, parent: str | None) -> tuple[Node, ...]:
        """The nodes directly inside one iteration; None for the top level."""
        return tuple(node for node in self.nodes if node.parent == parent)


def _grouped(flow: Flow, end: Literal["source", "target"]) -> Mapping[str, tuple[Edge, ...]]:
    found: dict[str, list[Edge]] = {node.id: [] for node in flow.nodes}
    for edge in flow.edges:
        found[getattr(edge, end)].append(edge)
    return MappingProxyType({name: tuple(edges) for name, edges in found.items()})


_LOOK_UPS = ("node_by_id", "edge_by_id", "variable_by_name", "edges_from", "edges_to")
