from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.errors import FlowCheckError
from engine.flow.document import EdgeData
from engine.flow.edits import add_edge, set_edge_data, set_on_error, set_settings
from engine.flow.inference import closes_cycle, infer_edge, suggest_route_keys
from tests.engine.flow.builders import edge, flow, node


@dataclass(frozen=True)
class Way:
    key: str | None
    label: str = ""

    @property
    def id(self):
        return f"{self.key}_handle" if self.key else "out"


PLAIN = (Way(None),)
CONDITION = (Way("true", "Yes"), Way("false", "No"))
LOOP = (Way("continue_loop"), Way("exit_loop"))


def chain():
    return flow(node("a"), node("b"), node("c"), edge("a", "b"), edge("b", "c"))


def test_an_edge_that_closes_a_cycle_goes_back():
    assert infer_edge(chain(), "c", "a", PLAIN, False) == EdgeData(edge_type="loop_back")
    assert infer_edge(chain(), "b", "b", PLAIN, False).edge_type == "loop_back"


def test_an_edge_that_goes_back_from_a_choice_keeps_its_route_key():
    drawn = infer_edge(chain(), "c", "a", CONDITION, True, "false")

    assert drawn == EdgeData(
        edge_type="loop_back", route_key="false", source_handle_id="false_handle"
    )


def test_a_second_way_forward_inside_a_loop_does_not_go_back():
    looped = add_edge(chain(), "c", "a", EdgeData(edge_type="loop_back"))

    assert not closes_cycle(looped, "a", "c")
    assert infer_edge(looped, "a", "b", PLAIN, False).edge_type == "normal"


def test_an_edge_from_a_choice_is_conditional_and_any_other_is_normal():
    assert infer_edge(chain(), "a", "c", CONDITION, True).edge_type == "conditional"
    assert infer_edge(chain(), "a", "c", PLAIN, False) == EdgeData()


@pytest.mark.parametrize("ways", [CONDITION, LOOP, (Way("x"), Way("y"), Way("default"))])
def test_edges_drawn_from_the_body_take_the_keys_in_order(ways):
    document = flow(node("choice"), node("next"))
    keys = []
    for _ in ways:
        data = infer_edge(document, "choice", "next", ways, True)
        document = add_edge(document, "choice", "next", data)
        keys.append((data.route_key, data.source_handle_id))

    assert keys == [(way.key, way.id) for way in ways]
    assert infer_edge(document, "choice", "next", ways, True).route_key == ways[0].key


def test_a_key_that_became_free_is_taken_next():
    document = flow(node("a"), node("b"), edge("a", "b", "e1", route_key="false"))

    assert infer_edge(document, "a", "b", CONDITION, True).route_key == "true"


def test_the_handle_that_an_edge_is_drawn_from_decides():
    document = flow(node("a"), node("b"), edge("a", "b", "e1", route_key="false"))

    assert infer_edge(document, "a", "b", CONDITION, True, "false").route_key == "false"


def test_a_node_that_branches_on_errors_offers_its_error_key_after_the_plain_way():
    document = set_on_error(chain(), "a", "branch")

    assert infer_edge(document, "a", "c", PLAIN, False).route_key == "error"
    assert infer_edge(document, "c", "b", PLAIN, False).route_key is None
    assert infer_edge(document, "a", "c", PLAIN, False, "error") == EdgeData(
        route_key="error", source_handle_id="error_handle"
    )
    both = add_edge(document, "a", "c", infer_edge(document, "a", "c", PLAIN, False))
    assert infer_edge(both, "a", "c", PLAIN, False).route_key is None


def test_the_error_policy_of_the_flow_holds_for_nodes_without_one():
    document = set_settings(chain(), on_error="branch")

    assert infer_edge(document, "a", "c", PLAIN, False).route_key == "error"
    stopped = set_on_error(document, "a", "stop")
    assert infer_edge(stopped, "a", "c", PLAIN, False).route_key is None


def test_an_error_handle_of_the_type_is_not_offered_twice():
    document = set_on_error(chain(), "a", "branch")

    offered = suggest_route_keys(document, "a", (Way(None), Way("error", "Failed")))

    assert [(way.key, way.label) for way in offered] == [("error", "Failed")]


def test_keys_without_an_edge_are_suggested_first():
    ways = (Way("x"), Way("y"), Way("z"))
    document = flow(
        node("a"), node("b"),
        edge("a", "b", "e1", route_key="x"), edge("a", "b", "e2", route_key="y"),
    )  # fmt: skip

    assert [s.key for s in suggest_route_keys(document, "a", ways)] == ["z", "x", "y"]
    own = suggest_route_keys(document, "a", ways, edge_id="e1")
    assert [(s.key, s.free) for s in own] == [("x", True), ("z", True), ("y", False)]


def test_what_does_not_exist_is_refused_with_the_nearest_name():
    with pytest.raises(FlowCheckError, match="Did you mean 'true'"):
        infer_edge(chain(), "a", "c", CONDITION, True, "treu")
    with pytest.raises(FlowCheckError, match="There is no node 'zz'"):
        infer_edge(chain(), "a", "zz", PLAIN, False)
    with pytest.raises(FlowCheckError, match="There is no node 'zz'"):
        suggest_route_keys(chain(), "zz", PLAIN)


def test_a_node_without_ways_out_gives_a_plain_edge():
    assert infer_edge(chain(), "a", "c", (), False) == EdgeData()


def test_a_long_chain_is_walked_without_recursion():
    nodes = [node(f"n{number}") for number in range(5000)]
    edges = [edge(f"n{n}", f"n{n + 1}") for n in range(4999)]
    document = flow(*nodes, *edges)

    assert closes_cycle(document, "n4999", "n0")
    assert not closes_cycle(document, "n0", "n4999")
    unmarked = set_edge_data(document, "n0-n1", edge_type="loop_back")
    assert not closes_cycle(unmarked, "n4999", "n0")
