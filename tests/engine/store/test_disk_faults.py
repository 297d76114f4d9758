from __future__ import annotations

import asyncio
import errno
import os
import threading

import pytest

from engine.errors import JournalError
from engine.store import journal as journal_module
from engine.store.journal import JournalWriter, read_journal


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    return folder / "journal.log"


class SmallDisk:
    """Takes so many bytes, then says that it is full; at most `piece` at a time."""

    def __init__(self, room, piece=1_000_000):
        self.room = room
        self.piece = piece

    def write(self, descriptor, data):
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = os.write(descriptor, data[: min(self.room, self.piece)])
        self.room -= taken
        return taken


def fill(journal):
    for number in range(10):
        journal.append({"kind": "step", "x": number})


def test_a_full_disk_at_any_byte_leaves_whole_records_and_is_told_in_words(path):
    for room in range(90):
        disk = SmallDisk(room)
        journal = JournalWriter(path, write=disk.write)

        with pytest.raises(JournalError, match="the disk is full") as caught:
            fill(journal)

        assert str(path) in caught.value.message
        assert caught.value.hint == "Free some space and try again."
        contents = read_journal(path)
        assert not contents.torn
        assert contents.next_n == journal.next_n == room // 37

        disk.room = 1_000
        journal.append({"kind": "after"})
        journal.close()
        assert [record["kind"] for record in read_journal(path).records][-1] == "after"
        path.unlink()


def test_a_disk_that_takes_little_at_a_time_gets_the_whole_record(path):
    with JournalWriter(path, write=SmallDisk(1_000, piece=7).write) as journal:
        journal.append({"kind": "a", "text": "x" * 100})
        journal.append({"kind": "b"})

    assert [record["kind"] for record in read_journal(path).records] == ["a", "b"]


def test_a_disk_that_takes_nothing_more_counts_as_full(path):
    taken = []

    def write(descriptor, data):
        taken.append(data)
        return os.write(descriptor, data[:5]) if len(taken) == 1 else 0

    journal = JournalWriter(path, write=write)

    with pytest.raises(JournalError, match="the disk is full"):
        journal.append({"kind": "a"})
    assert path.read_bytes() == b""
    journal.close()


def test_an_interruption_inside_a_record_leaves_nothing_of_it(path):
    def write(descriptor, data):
        os.write(descriptor, data[:5])
        raise KeyboardInterrupt

    journal = JournalWriter(path, write=write)

    with pytest.raises(KeyboardInterrupt):
        journal.append({"kind": "a"})
    assert path.read_bytes() == b""
    journal.close()


def test_a_half_record_that_cannot_be_removed_stays_the_last(path, monkeypatch):
    def refuse(descriptor, size):
        raise OSError(errno.EIO, "Input/output error")

    disk = SmallDisk(50)
    journal = JournalWriter(path, write=disk.write)
    journal.append({"kind": "a"})
    monkeypatch.setattr(os, "ftruncate", refuse)

    with pytest.raises(JournalError, match="the disk is full"):
        journal.append({"kind": "b", "text": "long enough"})
    disk.room = 1_000
    with pytest.raises(JournalError, match="half-written record could not be removed"):
        journal.append({"kind": "c"})
    journal.close()

    contents = read_journal(path)
    assert contents.torn
    assert [record["kind"] for record in contents.records] == ["a"]


def fail_to_sync(descriptor):
    raise OSError(errno.EIO, "Input/output error")


def test_a_disk_that_loses_what_was_written_ends_the_journal(path, monkeypatch):
    monkeypatch.setattr(journal_module, "_sync_data", fail_to_sync)
    journal = JournalWriter(path)
    journal.append({"kind": "a"})

    with pytest.raises(JournalError, match="did not reach the disk: the disk reports a fault"):
        journal.sync()
    with pytest.raises(JournalError, match="takes no more records"):
        journal.append({"kind": "b"})
    with pytest.raises(JournalError, match="did not reach the disk"):
        journal.close()
    journal.close()


def test_awaiting_a_disk_that_refuses_raises_too(path, monkeypatch):
    monkeypatch.setattr(journal_module, "_sync_data", fail_to_sync)

    async def run():
        journal = JournalWriter(path)
        journal.append({"kind": "a"})
        with pytest.raises(JournalError, match="did not reach the disk"):
            await journal.sync_async()
        with pytest.raises(JournalError, match="did not reach the disk"):
            await journal.close_async()

    asyncio.run(run())


class WatchedSync:
    """Notes the threads that wait for the disk; may be held up."""

    def __init__(self, monkeypatch):
        self.threads = []
        self.free = threading.Event()
        self.free.set()
        self.called = threading.Event()
        monkeypatch.setattr(journal_module, "_sync_data", self.sync)

    def sync(self, descriptor):
        self.threads.append(threading.current_thread())
        self.called.set()
        assert self.free.wait(30)


def test_records_reach_the_disk_by_themselves_and_never_in_the_writers_thread(path, monkeypatch):
    disk = WatchedSync(monkeypatch)
    journal = JournalWriter(path, sync_every_s=0.001)
    assert threading.active_count() == len(threading.enumerate())

    for _ in range(3):
        disk.called.clear()
        journal.append({"kind": "a"})
        assert disk.called.wait(30)
    journal.sync()
    journal.close()

    assert threading.current_thread() not in disk.threads
    assert len(set(disk.threads)) == 1
    assert not disk.threads[0].is_alive()


def test_without_a_record_no_thread_is_started(path):
    before = threading.active_count()

    journal = JournalWriter(path)

    assert threading.active_count() == before
    journal.close()


def test_what_is_on_the_disk_already_is_not_waited_for_again(path, monkeypatch):
    disk = WatchedSync(monkeypatch)
    with JournalWriter(path, sync_every_s=1_000) as journal:
        journal.append({"kind": "a"})
        journal.sync()
        disk.free.clear()
        journal.sync()
        asyncio.run(journal.sync_async())
        disk.free.set()

    assert len(disk.threads) == 1


def test_other_work_goes_on_while_the_disk_is_slow(path, monkeypatch):
    disk = WatchedSync(monkeypatch)
    disk.free.clear()

    async def run():
        journal = JournalWriter(path, sync_every_s=1_000)
        journal.append({"kind": "a"})
        waiting = [asyncio.create_task(journal.sync_async()) for _ in range(3)]
        assert await asyncio.to_thread(disk.called.wait, 30)
        journal.append({"kind": "while waiting"})
        waiting[1].cancel()
        disk.free.set()
        done = await asyncio.gather(*waiting, return_exceptions=True)
        await journal.close_async()
        return done

    first, cancelled, third = asyncio.run(run())

    assert (first, third) == (None, None)
    assert isinstance(cancelled, asyncio.CancelledError)
    assert len(read_journal(path).records) == 2
