"""The flow that a command names, and whether it can run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.cli.problems import flow_problems
from engine.cli.report_errors import InvalidFlowError
from engine.cli.surroundings import from_library, library_names
from engine.errors import UsageError
from engine.flow.document import Flow
from engine.flow.file import SUFFIX, read_flow
from engine.run.workplace import Workplace

# A node of a type that is not installed stops a run only when it is reached.
_MAY_RUN = frozenset({"unknown-type"})
# A node of a person's own may write variables that nobody can see from outside.
_UNSEEN_WRITES = frozenset({"unknown-variable"})


@dataclass(frozen=True, slots=True)
class FoundFlow:
    """A flow, and its file unless it comes from the library."""

    flow: Flow
    path: Path | None

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.flow.name or self.flow.id


def find_flow(text: str, workplace: Workplace) -> FoundFlow:
    """The flow of a file, or of the library by id or name.

    Raises:
        UsageError: There is none.
        FlowFileError: The file is no sound flow.
        StoreError: The library is damaged.
    """
    path = Path(text)
    for candidate in (path, path.with_name(path.name + SUFFIX)) if path.name else ():
        if _is(candidate, Path.exists) and not _is(candidate, Path.is_dir):
            return FoundFlow(read_flow(candidate), candidate.absolute())
    if _is(path, Path.is_dir):
        raise UsageError(f"'{text}' is a folder, not a flow.", _files_in(path))
    flow = from_library(workplace.places, text)
    if flow is None:
        raise _no_flow(text, workplace)
    return FoundFlow(flow, None)


def _is(path: Path, kind: Callable[[Path], bool]) -> bool:
    """Whether there is such a thing; a name that no disk takes is none."""
    try:
        return kind(path)
    except (OSError, ValueError):
        return False


def _files_in(folder: Path) -> str:
    names = sorted(file.name for file in folder.glob(f"*{SUFFIX}"))[:5]
    return f"It holds {', '.join(names)}." if names else "Give the path of a *.flow.json file."


def _no_flow(text: str, workplace: Workplace) -> UsageError:
    from engine.flow.faults import nearest  # Late: only a slip of the pen needs it.

    path = Path(text)
    beside = sorted(file.name for file in path.parent.glob("*.json"))
    near = nearest(path.name, [*beside, *library_names(workplace.places)])
    is_file = path.suffix == ".json" or len(path.parts) > 1
    what = "file" if is_file else "flow file, and no flow of the library,"
    hint = near or "Give the path of a *.flow.json file, or the name of a flow of the library."
    return UsageError(f"There is no {what} '{text}'.", hint)


def _has_own_types(found: FoundFlow, workplace: Workplace) -> bool:
    return any(not workplace.registry.is_built_in(node.type) for node in found.flow.nodes)


def refuse_invalid(found: FoundFlow, workplace: Workplace) -> None:
    """Refuses a flow whose mistakes keep it from running.

    Raises:
        InvalidFlowError: It lists them.
    """
    may_run = _MAY_RUN | (_UNSEEN_WRITES if _has_own_types(found, workplace) else frozenset())
    errors = [
        problem
        for problem in flow_problems(found.flow, found.path, workplace)
        if problem["severity"] == "error" and problem["code"] not in may_run
    ]
    if errors:
        many = "a mistake" if len(errors) == 1 else f"{len(errors)} mistakes"
        msg = f"The flow '{found.name}' cannot run: it has {many}."
        hint = "`loopwright validate` tells more."
        raise InvalidFlowError(msg, hint, errors)
