"""Folders, archives, members, samples and shards."""

import io
import tarfile
from pathlib import Path

import pytest

from sqllogictest.samples import choose_sample, every_nth, longest_first, take_shard
from sqllogictest.sources import SourceError, TestFile, find_files

RECORD = b"statement ok\nSELECT 1\n"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "index-between.tar.xz"
    with tarfile.open(path, "w:xz") as tar:
        for name in ("index/between/10/b.test", "index/between/1/a.test", "index/README"):
            member = tarfile.TarInfo(name)
            member.size = len(RECORD)
            tar.addfile(member, io.BytesIO(RECORD))
    return path


def test_folder_is_searched_for_both_suffixes(tmp_path: Path) -> None:
    for name in ("b.slt", "a.test", "notes.txt", "sub/c.test"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(RECORD)
    names = [file.name for file in find_files([str(tmp_path)], str(tmp_path / "work"))]
    assert names == [str(tmp_path / name) for name in ("a.test", "b.slt", "sub/c.test")]


def test_archive_members_are_found_sorted_and_by_the_name_that_is_shown(archive: Path, tmp_path: Path) -> None:
    files = find_files([str(archive)], str(tmp_path / "work"))
    assert [(file.name, file.group) for file in files] == [
        (f"{archive}/index/between/1/a.test", "index-between"),
        (f"{archive}/index/between/10/b.test", "index-between"),
    ]
    again = find_files([files[1].name], str(tmp_path / "more"))
    assert [file.name for file in again] == [files[1].name]
    assert again[0].read() == RECORD


@pytest.mark.parametrize(("inner", "count"), [("index/between/1", 1), ("index", 2), ("*/b.test", 1)])
def test_path_may_go_on_into_an_archive(archive: Path, tmp_path: Path, inner: str, count: int) -> None:
    assert len(find_files([f"{archive}/{inner}"], str(tmp_path / "work"))) == count


def test_folder_with_archives_is_unpacked(archive: Path, tmp_path: Path) -> None:
    assert len(find_files([str(archive.parent)], str(tmp_path.parent / "elsewhere"))) == 2


def test_path_without_test_files_is_an_error(tmp_path: Path, archive: Path) -> None:
    for path in (str(tmp_path / "nosuch"), f"{archive}/nosuch.test"):
        with pytest.raises(SourceError):
            find_files([path], str(tmp_path / "work"))


def test_same_file_is_taken_once(tmp_path: Path) -> None:
    (tmp_path / "a.test").write_bytes(RECORD)
    path = str(tmp_path / "a.test")
    assert len(find_files([path, path], str(tmp_path / "work"))) == 1


def entries(group: str, count: int, size: int = 1000) -> list[TestFile]:
    return [TestFile(f"{group}/{i:03}.test", group, size + i) for i in range(count)]


def test_every_nth_takes_files_1_11_21_of_each_group() -> None:
    chosen = every_nth(entries("a", 25) + entries("b", 3), 10)
    assert [file.name for file in chosen] == ["a/000.test", "a/010.test", "a/020.test", "b/000.test"]


def test_foundation_keeps_evidence_and_select_whole() -> None:
    chosen = choose_sample(entries("evidence", 12) + entries("select", 5) + entries("random-expr", 96), "foundation")
    assert [len([file for file in chosen if file.group == group]) for group in ("evidence", "select", "random-expr")] == [
        12,
        5,
        10,
    ]
    assert {file.query_stride for file in chosen} == {1}


def test_ci_sample_runs_about_two_percent_of_each_group() -> None:
    chosen = choose_sample(entries("select", 5) + entries("random-expr", 96) + entries("index-in", 1), "ci")
    strides = {file.group: file.query_stride for file in chosen}
    assert strides == {"select": 1, "random-expr": 5, "index-in": 50}


def test_shards_part_the_files_without_overlap() -> None:
    files = entries("a", 23)
    shards = [take_shard(files, number, 4) for number in (1, 2, 3, 4)]
    names = [file.name for shard in shards for file in shard]
    assert sorted(names) == sorted(file.name for file in files)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def test_longest_file_goes_first() -> None:
    files = [TestFile("s", "g", 10), TestFile("l", "g", 1000), TestFile("m", "g", 100)]
    assert [file.name for file in longest_first(files)] == ["l", "m", "s"]
