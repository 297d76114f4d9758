"""What is wrong with a flow, as a list of problems in a person's words; it never raises."""

from __future__ import annotations

from engine.check.catalogue import CodeFacts, catalogue
from engine.check.checker import check_flow
from engine.check.problem import Fix, Problem, Severity

__all__ = ["CodeFacts", "Fix", "Problem", "Severity", "catalogue", "check_flow"]
