"""Settings of the whole program. Keys and passwords are never among them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.errors import StoreError
from engine.store.document_file import DocumentFile

if TYPE_CHECKING:
    from tinydb import TinyDB
    from tinydb.table import Table

_TABLE = "settings"
_FROZEN = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")
_Name = Annotated[str, Field(min_length=1)]
_Limit = Annotated[int, Field(ge=1)]


class ModelService(BaseModel):
    """Where models answer.

    Its key is a secret: `secret` only names it.
    """

    model_config = _FROZEN

    name: _Name = Field(description="Its name in `name/model`.")
    kind: str = Field(default="openai", description="How it is spoken to.")
    address: str = Field(default="", description="Web address; empty for a built-in one.")
    models: tuple[str, ...] = Field(default=(), description="The models that it offers.")
    secret: str = Field(default="", description="Name of the secret that holds its key.")


class NodeLimits(BaseModel):
    """Limits for every flow that sets none of its own; None leaves the usual ones."""

    model_config = _FROZEN

    max_steps: _Limit | None = None
    max_iterations: _Limit | None = None
    max_concurrency: _Limit | None = None
    code_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    code_memory_mb: _Limit | None = None


class Settings(BaseModel):
    """Everything that a person can set for the whole program."""

    model_config = _FROZEN

    models: tuple[ModelService, ...] = ()
    variables: dict[str, Any] = Field(
        default_factory=dict, description="Variables of every flow: `$vars.name`."
    )
    limits: NodeLimits = NodeLimits()

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [service.name for service in self.models]
        for name in names:
            if names.count(name) > 1:
                msg = f"two model services are called '{name}'"
                raise ValueError(msg)
        return self


class SettingsStore:
    """The settings on the disk, shared between programs.

    Args:
        path: Their file; missing means that nothing was set.
    """

    def __init__(self, path: Path) -> None:
        self._file = DocumentFile(path, "loopwright.settings", "file of settings")

    def load(self) -> Settings:
        """The settings as they are now.

        Raises:
            StoreError: The file is damaged (it has been kept aside), cannot be read, or holds
                what this version does not understand.
        """
        with self._file.reading() as database:
            return _load(_table(database))

    def save(self, settings: Settings) -> None:
        """Replaces all settings; those of other versions of the program stay."""
        with self._file.changing() as database:
            _save(_table(database), settings)

    def change(self, change: Callable[[Settings], Settings]) -> Settings:
        """Puts `change(settings)` in their place, with no other program changing them meanwhile."""
        with self._file.changing() as database:
            table = _table(database)
            changed = change(_load(table))
            _save(table, changed)
        return changed

    def damaged_copies(self) -> list[Path]:
        """Damaged settings that were kept aside, oldest first."""
        return self._file.damaged_copies()


def parse_settings(values: dict[str, Any]) -> Settings:
    """Settings from plain values.

    Raises:
        StoreError: It names each value that is wrong.
    """
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        from engine.flow.faults import validation_faults  # Late: only a mistake needs it.

        faults = "; ".join(validation_faults(error, values))
        msg = f"The settings are not understood: {faults}."
        raise StoreError(msg, "Put that value right in the settings.") from error


def _table(database: TinyDB) -> Table:
    return database.table(_TABLE)


def _load(table: Table) -> Settings:
    stored = {document["key"]: document["value"] for document in table}
    return parse_settings({key: stored[key] for key in Settings.model_fields if key in stored})


def _save(table: Table, settings: Settings) -> None:
    for key, value in settings.model_dump().items():
        table.upsert({"key": key, "value": value}, lambda each, key=key: each["key"] == key)
