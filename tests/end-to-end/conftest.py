"""Images and workloads that several tests share, made once per session."""

import os
from pathlib import Path

import pytest

from testkit.applications import L3_SWITCH
from testkit.paths import BUILD
from testkit.runs import compile_levels
from testkit.workloads import Workload, make_workload


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if (BUILD / "bin/ixpsim").exists():
        return
    for item in items:
        if Path(__file__).parent in Path(item.path).parents:
            item.add_marker(pytest.mark.skip("no build tree: run ./dev build"))


@pytest.fixture(scope="session")
def mixed_load(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    """20,000 packets: routed, bridged, flooded, ARP and every exception."""
    options = (
        "--seed 11 --packets 20000 --routes 10000 --bridged 0.1 --broadcast 0.01"
        " --arp 0.01 --unknown 0.01 --ttl-expired 0.01 --bad-checksum 0.01"
        " --bad-version 0.01 --bad-header-length 0.01 --bad-length 0.01"
        " --options 0.02 --no-route 0.01"
    )
    folder = tmp_path_factory.mktemp("mixed")
    return make_workload("l3-switch", folder, *options.split())


@pytest.fixture(scope="session")
def images(
    tmp_path_factory: pytest.TempPathFactory, mixed_load: Workload
) -> dict[str, Path]:
    """L3-Switch at each level."""
    folder = tmp_path_factory.mktemp("images")
    return compile_levels(L3_SWITCH, mixed_load, folder)


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of real captures and tables."""
    if "KARAKAL_TEST_DATA" not in os.environ:
        pytest.skip("KARAKAL_TEST_DATA is not set: real captures are not tested")
    return Path(os.environ["KARAKAL_TEST_DATA"])


@pytest.fixture(scope="session")
def packet_images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which packet tests cache compiled programs."""
    return tmp_path_factory.mktemp("images")
