from __future__ import annotations

import os
import threading

import pytest

from engine.errors import RunError, RunLockedError, StoreError
from engine.store.locks import FileLock, is_locked, lock_holder
from engine.store.run_files import create_run_folder, delete_run, is_run_open, lock_run
from tests.engine.store.children import end, kill, start

HOLDER = """
import os, sys
from pathlib import Path
from engine.store.run_files import lock_run

lock = lock_run(Path(sys.argv[1]))
print(os.getpid(), flush=True)
sys.stdin.readline()
lock.release()
print("released", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def runs(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    return runs


def test_a_run_that_another_program_has_open_is_refused_with_the_reason(runs):
    folder = create_run_folder(runs, "one")
    child = start(HOLDER, folder)
    pid = int(child.stdout.readline())

    with pytest.raises(RunLockedError, match=rf"Run 'one' is open in .* \(process {pid}\)"):
        lock_run(folder)
    with pytest.raises(RunLockedError, match="one"):
        delete_run(runs, "one")
    assert is_run_open(folder)

    child.stdin.write(b"\n")
    child.stdin.flush()
    child.stdout.readline()
    lock_run(folder).release()
    assert not is_run_open(folder)
    end(child)


def test_a_lock_vanishes_with_a_program_that_is_killed(runs):
    folder = create_run_folder(runs, "one")
    child = start(HOLDER, folder)
    child.stdout.readline()

    kill(child)

    with lock_run(folder) as lock:
        assert lock_holder(lock.path) == os.getpid()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where programs can fork")
def test_a_forked_child_does_not_keep_the_lock_of_its_parent(runs):
    folder = create_run_folder(runs, "one")
    child = start(FORKING_HOLDER, folder)
    grandchild = int(child.stdout.readline())
    assert is_run_open(folder)

    child.kill()
    child.wait(timeout=60)

    # The grandchild lives on: it holds the pipe, and lets it go when it has been told to end.
    assert not is_run_open(folder)
    child.stdin.close()
    assert child.stdout.read() == b"%d ends\n" % grandchild
    child.stdout.close()


FORKING_HOLDER = """
import os, sys
from pathlib import Path
from engine.store.run_files import lock_run

lock = lock_run(Path(sys.argv[1]))
pid = os.fork()
if pid:
    os.waitpid(pid, 0)
else:
    os.write(1, b"%d\\n" % os.getpid())
    os.read(0, 1)
    os.write(1, b"%d ends\\n" % os.getpid())
"""


def test_a_run_that_this_program_has_open_is_refused_too(runs):
    folder = create_run_folder(runs, "one")

    with lock_run(folder), pytest.raises(RunLockedError, match="in this program already"):
        lock_run(folder)

    lock_run(folder).release()


def test_a_run_that_does_not_exist_cannot_be_locked(runs):
    with pytest.raises(RunError, match="no run 'none'"):
        lock_run(runs / "none")
    assert list(runs.iterdir()) == []


def test_a_lock_waits_for_its_holder(tmp_path):
    path = tmp_path / "lock"
    first, second, order = FileLock(path), FileLock(path), []
    first.acquire()

    def wait():
        with second:
            order.append("second")

    thread = threading.Thread(target=wait)
    thread.start()
    order.append("first")
    first.release()
    thread.join(60)

    assert order == ["first", "second"]
    assert not is_locked(path)


def test_a_lock_that_stays_held_names_its_holder(tmp_path):
    path = tmp_path / "lock"

    with FileLock(path), pytest.raises(StoreError, match=f"process {os.getpid()} for 0 seconds"):
        FileLock(path, wait_s=0).acquire()


def test_a_lock_file_that_was_deleted_meanwhile_is_made_anew(tmp_path):
    path = tmp_path / "lock"
    with FileLock(path):
        path.unlink()

        with FileLock(path, wait_s=0):
            assert is_locked(path)


def test_looking_does_not_make_or_sign_a_lock(tmp_path):
    path = tmp_path / "lock"

    assert not is_locked(path)
    assert not path.exists()
    path.write_bytes(b"not a number")
    assert lock_holder(path) is None
    path.write_bytes(b"9" * 5000)
    assert lock_holder(path) is None


class LateLock(FileLock):
    """Opens its file just before somebody deletes it."""

    late = True

    def _open(self):
        descriptor = super()._open()
        if self.late:
            self.late = False
            self.path.unlink()
        return descriptor


def test_a_lock_on_a_file_that_was_deleted_while_taking_it_is_taken_anew(tmp_path):
    path = tmp_path / "lock"

    with LateLock(path):
        assert is_locked(path)
        assert not FileLock(path).try_acquire()
