"""Builds the documents as a searchable site.

    python docs/site/make_site.py --out=DIR

Every Markdown page of the checkout is a page of the site, README.md the first. The
pages keep their places, so that their links to each other lead to pages; a link to
a source file leads to a copy of it, a link to a folder to its page or its list of
files. MkDocs checks all links and headings: one that leads nowhere is an error.

The menu follows the tables of README.md's map; a page that they do not name is
listed under its folder.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)#\s]+)")
#: A row of README's map: what for, and links.
ROW = re.compile(r"^\| (.+?) \| (.*\[.*) \|$", re.M)
#: `baker error=E-baker-115` after a fence is for tests.
FENCE_OPTIONS = re.compile(r"^(```\w+) .*$", re.M)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def tracked(pattern: str) -> list[Path]:
    """Files of the checkout, relative to it, without what is ignored."""
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            pattern,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return sorted(Path(name) for name in set(listed.split("\0")) - {""})


def pages() -> list[Path]:
    return [page for page in tracked("*.md") if (ROOT / page).exists()]


def linked_files(page: Path) -> list[Path]:
    """What a page links to in the checkout, relative to it."""
    text = FENCE.sub("", (ROOT / page).read_text())
    found = []
    for link in LINK.findall(text):
        target = (ROOT / page.parent / link).resolve()
        if "://" not in link and target.exists() and target.is_relative_to(ROOT):
            found.append(target.relative_to(ROOT))
    return found


def folder_page(folder: Path) -> str:
    """A page for a folder that has none: its files."""
    names = [path.relative_to(folder) for path in tracked(f"{folder}/*")]
    files = "\n".join(f"- `{name}`" for name in names)
    return f"# {folder}/\n\n{files}\n"


def stage(folder: Path) -> list[Path]:
    """Copies pages and what they link to; returns the pages."""
    staged = pages()
    copied = set(staged)
    for page in staged:
        copied.update(linked_files(page))
    copied.update(path for ending in ("svg", "png") for path in tracked(f"*.{ending}"))
    folders = {path for path in copied if (ROOT / path).is_dir()}
    for path in sorted(copied - folders):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
    for path in sorted(folders):
        page = path / "README.md"
        if not (folder / page).exists():
            (folder / page).parent.mkdir(parents=True, exist_ok=True)
            (folder / page).write_text(folder_page(path))
            staged.append(page)
    adapt(folder, staged, folders)
    return staged


def adapt(site: Path, staged: list[Path], folders: set[Path]) -> None:
    """MkDocs knows pages, not folders, and fences with one word."""
    for page in staged:
        path = site / page
        text = path.read_text()

        def to_page(match: re.Match[str], page: Path = page) -> str:
            target = (ROOT / page.parent / match[1]).resolve()
            if target.is_relative_to(ROOT) and target.relative_to(ROOT) in folders:
                return match[0].rstrip("/") + "/README.md"
            return match[0]

        path.write_text(FENCE_OPTIONS.sub(r"\1", LINK.sub(to_page, text)))


def menu(staged: list[Path]) -> list[Any]:
    """The rows of README's map in their order, then the other pages by folder."""
    left = sorted(staged)
    left.remove(Path("README.md"))
    entries: list[Any] = [{"Karakal": "README.md"}]
    for row in ROW.findall((ROOT / "README.md").read_text()):
        named = [Path(link) for link in LINK.findall(row[1])]
        named = [path for path in named if path in left]
        if named:
            entries.append({row[0].capitalize(): [str(path) for path in named]})
            left = [path for path in left if path not in named]
    by_folder: dict[str, list[str]] = {}
    for path in left:
        by_folder.setdefault(str(path.parent), []).append(str(path))
    return entries + [{name: paths} for name, paths in by_folder.items()]


def make(out: Path) -> int:
    """Builds the site into `out`; returns the number of pages. If MkDocs finds
    something wrong with the pages, it prints it, and CalledProcessError is raised."""
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "source"
        staged = stage(source)
        config = {
            "site_name": "Karakal",
            "docs_dir": str(source),
            "site_dir": str(out.resolve()),
            "theme": {"name": "readthedocs", "highlightjs": False},
            "plugins": ["search"],
            # Pages work from a file system too.
            "use_directory_urls": False,
            "markdown_extensions": ["tables", "fenced_code", "sane_lists"],
            "nav": menu(staged),
            "strict": True,
            "validation": {
                "omitted_files": "warn",
                "absolute_links": "warn",
                "unrecognized_links": "warn",
                "anchors": "warn",
            },
        }
        file = Path(name) / "mkdocs.yml"
        file.write_text(yaml.safe_dump(config, sort_keys=False))
        command = [sys.executable, "-m", "mkdocs", "build", "-f", file]
        subprocess.run(command, check=True)
    return len(staged)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    try:
        count = make(args.out)
    except subprocess.CalledProcessError:
        sys.exit(1)
    print(f"{count} pages: {args.out}/index.html", file=sys.stderr)


if __name__ == "__main__":
    main()
