"""The documents as a site: every page is in it, and every link leads somewhere."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from repository import ROOT

sys.path.insert(0, str(ROOT / "docs/site"))
pytest.importorskip("mkdocs", reason="./dev docs and ./dev test install MkDocs")
import make_site


def test_every_page_is_in_the_site(tmp_path: Path) -> None:
    count = make_site.make(tmp_path)
    pages = make_site.pages()
    assert count >= len(pages) > 30
    index = json.loads((tmp_path / "search/search_index.json").read_text())
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    for page in pages:
        html = page.with_suffix(".html")
        if page.name == "README.md":
            html = page.parent / "index.html"
        assert (tmp_path / html).exists(), page
        assert str(html) in found, f"{page} cannot be searched"


@pytest.mark.parametrize(
    "link", ["missing.md", "other.md#missing", "#missing", "folder/", "other.md"]
)
def test_a_link_that_leads_nowhere_is_an_error(
    link: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "README.md").write_text(f"# A\n\n[a link]({link})\n")
    (tmp_path / "other.md").write_text("# B\n\n## There\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.setattr(make_site, "ROOT", tmp_path)
    if link == "other.md":
        assert make_site.make(tmp_path / "site") == 2
        return
    with pytest.raises(subprocess.CalledProcessError):
        make_site.make(tmp_path / "site")
