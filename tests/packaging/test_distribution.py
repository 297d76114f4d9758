from __future__ import annotations

import re
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from engine.resources import RESOURCES, resource

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ["requirements.lock", "requirements-dev.lock", "tests/bench/peers.lock"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    [path] = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(path) as archive:
        yield archive


def locked(name: str) -> dict[str, Version]:
    pins = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE)
    return {canonicalize_name(package): Version(version) for package, version in pins}


def declared(extra: str = "") -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    rows = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return [Requirement(row) for row in rows]


@pytest.mark.parametrize("folder", ["engine", "editor", "resources"])
def test_every_shipped_file_is_in_the_wheel(wheel, folder):
    shipped = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }

    assert shipped
    assert shipped <= set(wheel.namelist())


def test_tests_and_tools_are_not_in_the_wheel(wheel):
    tops = {name.split("/")[0] for name in wheel.namelist()}

    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "engine",
        "editor",
        "resources",
    }


def test_the_wheel_brings_the_command_and_the_licence(wheel):
    texts = {Path(name).name: wheel.read(name).decode() for name in wheel.namelist()}

    assert "loopwright = engine.cli.main:main" in texts["entry_points.txt"]
    assert "MIT License" in texts["LICENSE"]


def test_resources_lie_beside_the_engine():
    assert ROOT / "resources" == RESOURCES
    assert resource("templates").is_dir()


@pytest.mark.parametrize(("lock", "extra"), [(LOCKS[0], ""), (LOCKS[1], ""), (LOCKS[1], "dev")])
def test_the_lock_file_holds_a_fitting_version_of_every_dependency(lock, extra):
    versions = locked(lock)

    for requirement in declared(extra):
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), f"{requirement}: {version}; run `make lock`"


def test_both_lock_files_agree():
    developing = locked("requirements-dev.lock")

    assert {name: developing[name] for name in locked("requirements.lock")} == locked(
        "requirements.lock"
    )


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_server_and_no_folder(lock):
    text = (ROOT / lock).read_text("utf-8")

    assert not re.findall(r"^\s*--(?!hash=)\S+|https?://\S+|file:\S+", text, re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_a_hash(lock):
    entries = re.split(r"^(?=[A-Za-z])", (ROOT / lock).read_text("utf-8"), flags=re.MULTILINE)

    assert all("--hash=sha256:" in entry for entry in entries if entry.strip())
