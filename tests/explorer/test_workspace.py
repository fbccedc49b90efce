"""No name leads out of the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from baker_explorer.workspace import Workspace
from npftrace.errors import InputError


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "in/sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "in/sub/a.baker").write_text("module a {}")
    (tmp_path / "in/link").symlink_to(tmp_path / "secret")
    return Workspace(tmp_path / "in")


def test_files_below_are_found_read_and_written(workspace: Workspace) -> None:
    assert workspace.find(".baker") == ["sub/a.baker"]
    workspace.path("sub/a.baker").chmod(0o640)
    workspace.write("sub/a.baker", "new\n")
    assert workspace.read("sub/a.baker") == "new\n"
    assert workspace.path("sub/a.baker").stat().st_mode & 0o777 == 0o640
    assert [p.name for p in (workspace.root / "sub").iterdir()] == ["a.baker"]


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "link", "sub/../../x"])
def test_others_are_refused(workspace: Workspace, name: str) -> None:
    for act in (workspace.read, lambda n: workspace.write(n, "x")):
        with pytest.raises(InputError) as caught:
            act(name)
        assert caught.value.error_id == "E-explorer-001"
    assert (workspace.root.parent / "secret").read_text() == "secret"


def test_what_cannot_be_read_says_so(workspace: Workspace) -> None:
    with pytest.raises(InputError) as caught:
        workspace.read("sub/none.baker")
    assert caught.value.error_id == "E-explorer-002"
    with pytest.raises(InputError) as caught:
        workspace.write("none/x.baker", "x")
    assert caught.value.error_id == "E-explorer-003"
