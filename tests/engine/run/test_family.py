from __future__ import annotations

import asyncio

import pytest

from engine.errors import RunError
from engine.run.family import needed_by, parts_of, refuse_part
from engine.run.session import RunSession
from tests.engine.run.fakes import draw
from tests.engine.run.trial import workplace

INNER = draw("s>q", q={"type": "ask"})
OUTER = draw("s>r r>x", r={"type": "execute_flow", "config": {"flow": "inner"}})


@pytest.fixture
def place(tmp_path):
    from tests.engine.run.fakes import registry_with

    inner = INNER.model_copy(update={"id": "inner", "name": "inner"})
    return workplace(tmp_path, registry_with(), inner=inner)


async def paused_parent(place):
    async with RunSession.start(place, OUTER, {}) as session:
        await session.go()
        assert session.condition.status == "paused"
        return session.condition.run_id


def test_a_nested_run_is_needed_as_long_as_its_step_waits(place):
    parent = asyncio.run(paused_parent(place))
    [child] = parts_of(place.places, parent)

    assert needed_by(place.places, child) == parent
    assert needed_by(place.places, parent) is None
    with pytest.raises(RunError, match=f"part of run '{parent}'"):
        refuse_part(place.places, child)


def test_a_nested_run_stands_alone_when_its_step_is_over(place):
    parent = asyncio.run(paused_parent(place))
    [child] = parts_of(place.places, parent)

    async def answer():
        async with RunSession.open(place, parent) as session:
            session.runner.answer(None, {"text": "yes"})
            await session.go()
            assert session.condition.status == "finished"

    asyncio.run(answer())

    assert needed_by(place.places, child) is None
    refuse_part(place.places, child)
