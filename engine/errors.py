"""The one family of errors that a person sees: what went wrong, and what to try."""

from __future__ import annotations


class LoopwrightError(Exception):
    """A fault in the person's words.

    Args:
        message: Where and what, as a full sentence.
        hint: What to try next; may be empty.
        detail: Technical text, shown folded; never holds a secret.
    """

    def __init__(self, message: str, hint: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(LoopwrightError):
    """A command, flag or argument that cannot be carried out as given."""


class FlowFileError(LoopwrightError):
    """A flow file that cannot be read or written."""


class FlowCheckError(LoopwrightError):
    """A flow that is not sound, or an edit that would make it so."""


class UnknownNodeTypeError(LoopwrightError):
    """A node type that is not installed."""


class LanguageError(LoopwrightError):
    """A fault in an expression or a template.

    Args:
        message: What is wrong.
        hint: What to try next.
        position: Offset of the fault in the text, in characters; None when not known.
    """

    def __init__(self, message: str, hint: str = "", position: int | None = None) -> None:
        super().__init__(message, hint)
        self.position = position


class ExpressionError(LanguageError):
    """An expression that cannot be parsed or evaluated."""


class TemplateError(LanguageError):
    """A template that cannot be parsed or filled in."""


class PinError(LoopwrightError):
    """A pin path that cannot be parsed, or pins that contradict each other."""


class NodeError(LoopwrightError):
    """Raised by a node when it cannot do its work; the node's error policy decides what follows.

    Args:
        message: What went wrong, in plain words.
        hint: What to try next.
        detail: Technical text, shown folded.
        kind: A stable word that a retry policy can name: "error", "timeout", "rate_limit", ...
        retry_after_s: The wait that the other side asked for, in seconds.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        detail: str = "",
        *,
        kind: str = "error",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, hint, detail)
        self.kind = kind
        self.retry_after_s = retry_after_s


class RunError(LoopwrightError):
    """Something asked of a run that its condition does not allow."""


class RunLockedError(RunError):
    """Another program has this run open."""


class JournalError(LoopwrightError):
    """A journal that is damaged or cannot be written."""


class StoreError(LoopwrightError):
    """The library or the settings cannot be read or written."""
