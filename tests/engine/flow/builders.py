"""Flows and values for the tests of the document."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.flow.document import Edge, EdgeData, Flow, Node, Note, Variable

texts = st.text(max_size=12)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**30, max_value=10**40)
    | st.floats(allow_nan=False)
    | texts
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def node(node_id: str, type_id: str = "template", **fields) -> Node:
    return Node(id=node_id, type=type_id, **fields)


def edge(source: str, target: str, edge_id: str = "", **data) -> Edge:
    edge_id = edge_id or f"{source}-{target}"
    return Edge(id=edge_id, source=source, target=target, data=EdgeData(**data))


def flow(*parts: Node | Edge | Note | Variable, **fields) -> Flow:
    def of(kind: type) -> tuple:
        return tuple(part for part in parts if isinstance(part, kind))

    given = {"nodes": of(Node), "edges": of(Edge), "notes": of(Note), "variables": of(Variable)}
    return Flow(id="f", **given, **fields)


def triage() -> Flow:
    """A flow with something of everything."""
    return flow(
        node("start", "start"),
        node(
            "check",
            "router",
            label="Big?",
            config={"routes": [{"targetEdgeKey": "big"}, {"targetEdgeKey": "small"}]},
        ),
        node("draft", "llm", config={"prompt": "Answer {{ start.output }}"}, save_as="answer"),
        node("box", "iteration", config={"items": "{{ draft.output }}"}),
        node("inner", parent="box", position={"x": 10, "y": 20.5}),
        node("boss", "human_input", on_error={"policy": "stop", "retry": {"attempts": 2}}),
        edge("start", "check", "e1"),
        edge(
            "check",
            "draft",
            "e2",
            edge_type="conditional",
            route_key="big",
            source_handle_id="big_handle",
            label="yes",
            source_pin="result[0]",
            target_pin="prompt",
        ),
        edge("check", "boss", "e3", edge_type="conditional", route_key="small"),
        edge("draft", "box", "e4", condition="draft.output != ''", static=True),
        edge("boss", "check", "e5", edge_type="loop_back", waypoints=[{"x": 1, "y": 2}]),
        Note(id="n1", text="Remember"),
        Variable(name="answer", type="string", default=""),
        Variable(name="score", type="number", default=0),
        pinned={"draft": {"output": {"status": 200}}},
    )
