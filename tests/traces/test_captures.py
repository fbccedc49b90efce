"""Real captures, damaged frames among them, through the whole package.

The environment variable KARAKAL_TEST_DATA names the folder of the data.
"""

import os
from pathlib import Path

import pytest

from npftrace.cli import main

DATA = os.environ.get("KARAKAL_TEST_DATA", "")
WITHOUT_DATA = pytest.mark.skip("KARAKAL_TEST_DATA is not set: no captures")
CAPTURES = sorted(Path(DATA, "pcap").iterdir()) if DATA else []
OTHER_LINK_TYPE = {
    "tcpdump--mpls-traceroute.pcap": "9 (PPP)",
    "tcpdump--lspping-fec-ldp.pcap": "9 (PPP)",
    "tcpdump--cve2015-0261-ipv6.pcap": "8 (SLIP)",
}


def test_all_captures_are_there() -> None:
    if not DATA:
        pytest.skip("KARAKAL_TEST_DATA is not set: no captures")
    assert len(CAPTURES) == 59


@pytest.mark.parametrize(
    "path",
    CAPTURES or [pytest.param(Path("captures"), marks=WITHOUT_DATA)],
    ids=lambda path: path.name,
)
def test_capture(
    tmp_path: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    control, out = str(tmp_path / "c.txt"), str(tmp_path / "o.pcapng")
    status = main(["tables", "from-trace", str(path), "--control", control])
    if path.name in OTHER_LINK_TYPE:
        assert status == 1
        assert OTHER_LINK_TYPE[path.name] in capsys.readouterr().err
        return
    assert status == 0
    files = ["--trace", str(path), "--control", control, "--out", out]
    assert main(["expect", "--app", "l3-switch", *files]) == 0
    assert main(["check", "--app", "l3-switch", *files]) == 0
    assert main(["info", str(path)]) == 0
    assert main(["show", str(path)]) == 0
    assert main(["diff", str(path), str(path)]) == 0
