"""Commands are apart after `chroot` to a folder, too, where the root is no mount."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from npftrace.grade.isolation import (
    FIRST_USER,
    SYSTEM,
    root_is_a_mount,
    tool_folders,
    usable_methods,
)

PROBE = """
import sys
from npftrace.grade.sandbox import Sandbox
words = ["sh", "-c", "id -u; ls -A /; cp in out"]
found = Sandbox(sys.argv[1]).run(words, {"in": b"x"})
print(found.status, found.files["out"].decode(), found.printed)
"""

#: Makes a root of the folder that is $1 from the folders that follow, enters it, and
#: tells what another process sees meanwhile.
ENTER = """set -eu
root=$1; shift
for name in dev proc tmp; do mkdir $root/$name; done
while [ $1 != -- ]; do
  mkdir -p $root$1
  mount --rbind $1 $root$1
  shift
done
shift
mount --rbind /dev $root/dev
mount -t proc proc $root/proc
chroot $root "$@"
grep -c $root/proc/tty /proc/self/mountinfo || true
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can chroot")
@pytest.mark.parametrize("method", usable_methods())
def test_a_root_that_is_no_mount_isolates(method: str, tmp_path: Path) -> None:
    if not shutil.which("unshare"):
        pytest.skip("no unshare: it comes with util-linux")
    if not root_is_a_mount():
        pytest.skip("the root is no mount here: all other tests of the folder show it")
    root = tmp_path / "root"
    root.mkdir()
    for link in filter(os.path.islink, SYSTEM):
        (root / link[1:]).symlink_to(os.readlink(link))
    real = [path for path in SYSTEM if os.path.isdir(path) and not os.path.islink(path)]
    folders = [*real, *map(str, tool_folders())]
    probe = [sys.executable, "-c", PROBE, method]
    enter = ["unshare", "--mount", "sh", "-c", ENTER, "sh"]
    done = subprocess.run(
        [*enter, str(root), *folders, "--", *probe],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    status, copied, user, *names, leaked = done.stdout.split()
    assert (status, copied) == ("0", "x")
    assert int(user) >= FIRST_USER
    assert {"usr", "proc", "in"} <= set(names)
    assert "tty" not in names
    assert leaked == "0"
