"""Where a command of a submission runs: in a file system of its own.

It sees the system's programs, the checkout without its labs, and the build, all
read-only, and one private folder of limited size. It has no network, sees no
process of others, and ends with all its children when its command ends.
Bubblewrap does this where it is installed; else the namespaces of Linux do, by
`unshare`. Started by root, the command gets a user of its own, because limits on
processes do not hold for root.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from npftrace.errors import InputError
from npftrace.grade.limits import Limits

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc")
DEVICES = ("null", "zero", "full", "random", "urandom")
#: What a student's program must not read: other solutions.
HIDDEN = ("labs", ".git")
#: Where a command finds copies of its inputs.
INPUTS = "/in"
#: Users of commands that root starts, one for each job.
FIRST_USER, USERS = 64_000, 1_000
#: Flags that a user's namespace cannot take off a mount.
LOCKED = {"nosuid", "nodev", "noexec", "noatime", "nodiratime", "relatime"}
#: The files of what a command prints, each stream, and the most that they hold.
PRINTED, COMPLAINED = ".printed", ".complained"
PRINTED_KIB = 512
METHODS = ("bubblewrap", "namespaces", "none")
#: Gives root after `chroot` a root that is a mount, which both methods need. It is
#: bound on a folder of /proc: that mount alone can be made private by its name, so
#: the system outside sees nothing of it.
MOUNTED_ROOT = """set -e
mount --make-private /proc
mount --rbind / /proc/tty
mount --make-rprivate /proc/tty
exec chroot /proc/tty "$@"
"""


@cache
def build_and_source() -> tuple[Path, Path] | None:
    """The build that the tools come from, and the checkout that it was made from."""
    tool = shutil.which("bakerc")
    if not tool:
        return None
    build = Path(tool).resolve().parents[1]
    settings = build / "CMakeCache.txt"
    text = settings.read_text() if settings.exists() else ""
    source = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", text, re.M)
    return build, Path(source[1]) if source else build


@cache
def tool_folders() -> tuple[Path, ...]:
    """The folders that the tools need: Python's environment, the build, and the
    checkout."""
    found = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[2]]
    found += build_and_source() or ()
    found = [path.resolve() for path in found if path.is_dir()]
    found = [path for path in found if f"/{path.parts[1]}" not in SYSTEM]
    found.sort(key=lambda path: len(path.parts))
    return tuple(dict.fromkeys(found))


def _masks() -> list[Path]:
    return [
        folder / name
        for folder in tool_folders()
        for name in HIDDEN
        if (folder / name).is_dir()
    ]


def _environment(folder: Path) -> dict[str, str]:
    folders = [os.path.dirname(tool) for tool in (shutil.which("bakerc"),) if tool]
    path = ":".join([*folders, f"{sys.prefix}/bin", "/usr/bin", "/bin", "/usr/sbin"])
    kept = {n: os.environ[n] for n in ("KARAKAL_BUILD",) if n in os.environ}
    home = {"HOME": str(folder), "TMPDIR": str(folder)}
    # A lab's Python scripts import the npftrace that grades, wherever it lies.
    home["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    return {"PATH": path, "LANG": "C.UTF-8", **home, **kept}


def said_folder(folder: Path) -> Path:
    """Where what a command prints is kept, apart from what it writes."""
    return folder.with_name("said")


def _script(command: Sequence[str], folder: Path, limits: Limits, to: str) -> str:
    """Copies the inputs, runs the command within its limits, and prints an archive of
    its folder and of what it printed."""
    bounds = [
        f"--cpu={limits.cpu_seconds}:{limits.cpu_seconds + 1}",
        f"--fsize={limits.disk_mib << 20}",
        f"--nproc={limits.processes}",
        "--core=0",
    ]
    if limits.memory_mib:
        bounds.append(f"--as={limits.memory_mib << 20}")
    words = shlex.join(["prlimit", *bounds, "--", *command])
    where, said = shlex.quote(str(folder)), shlex.quote(str(said_folder(folder)))
    return (
        f"cd {where} && cp -r {shlex.quote(to)}/. . || exit 125\n"
        f"{words} >{said}/{PRINTED} 2>{said}/{COMPLAINED} </dev/null\n"
        f"status=$?\ntar -cf - . -C {said} . 2>/dev/null\nexit $status\n"
    )


def _drop(job: int) -> list[str]:
    """The prefix of a command that gives up all privileges."""
    words = ["setpriv", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
    if os.geteuid() == 0:
        user = FIRST_USER + job % USERS
        words += [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    return words


def _private(folder: Path, limits: Limits) -> dict[Path, int]:
    """The folders that a command can write, with their sizes in KiB."""
    return {folder: limits.disk_mib << 10, said_folder(folder): 2 * PRINTED_KIB}


def _bubblewrap(
    inner: str, inputs: Path, folder: Path, limits: Limits, job: int
) -> list[str]:
    words = ["bwrap", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += [f"--unshare-{name}" for name in ("ipc", "pid", "net", "uts")]
    drop = ["setpriv", "--no-new-privs"]
    if os.geteuid() != 0:
        words.append("--unshare-user")
    else:
        # A namespace of users would know root alone, and no user to change to.
        for name in ("SETUID", "SETGID", "SETPCAP"):
            words += ["--cap-add", f"CAP_{name}"]
        drop = _drop(job)
    for path in SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    for tools in tool_folders():
        # What bwrap itself makes on the way to a mount only root can enter.
        for parent in reversed(tools.parents[:-1]):
            words += ["--perms", "0755", "--dir", str(parent)]
        words += ["--ro-bind", str(tools), str(tools)]
    for mask in _masks():
        words += ["--tmpfs", str(mask)]
    words += ["--dev", "/dev", "--proc", "/proc", "--dir", str(folder.parent)]
    for place, kib in _private(folder, limits).items():
        size = str(kib << 10)
        words += ["--perms", "0777", "--size", size, "--tmpfs", str(place)]
    words += ["--ro-bind", str(inputs), INPUTS, "--remount-ro", "/"]
    return [*words, "--", *drop, "sh", "-c", inner]


def _mounts() -> list[list[str]]:
    """The mounts that this process sees: the fields of proc(5), mountinfo."""
    text = Path("/proc/self/mountinfo").read_text()
    return [line.split() for line in text.splitlines()]


def _locked_flags(path: str) -> str:
    """The flags of the mount that holds a path, as options that keep them."""
    best, flags = "", ""
    for words in _mounts():
        inside = path == words[4] or path.startswith(words[4].rstrip("/") + "/")
        if inside and len(words[4]) >= len(best):
            best, flags = words[4], words[5]
    return ",".join(["ro", *sorted(LOCKED & set(flags.split(",")))])


def _namespaces(
    inner: str, inputs: Path, folder: Path, limits: Limits, job: int
) -> list[str]:
    # The new root is built on the folder of the inputs' parent, which only this
    # command knows.
    root = f"{inputs.parent}/root"
    lines = ["set -e", f"mount -t tmpfs -o size=4m,mode=755 tmpfs {root}"]

    def bind(source: str, target: str) -> None:
        where = shlex.quote(root + target)
        lines.append(f"mkdir -p {where}; mount --rbind {shlex.quote(source)} {where}")
        lines.append(f"mount -o remount,bind,{_locked_flags(source)} {where}")

    for path in SYSTEM:
        if os.path.islink(path):
            lines.append(f"ln -s {shlex.quote(os.readlink(path))} {root}{path}")
        elif os.path.isdir(path):
            bind(path, path)
    for tools in tool_folders():
        bind(str(tools), str(tools))
    for mask in _masks():
        lines.append(f"mount -t tmpfs -o ro tmpfs {shlex.quote(root + str(mask))}")
    bind(str(inputs), INPUTS)
    for device in DEVICES:
        lines.append(f"mkdir -p {root}/dev; touch {root}/dev/{device}")
        lines.append(f"mount --bind /dev/{device} {root}/dev/{device}")
    lines.append(f"mkdir -p {root}/proc; mount -t proc proc {root}/proc || true")
    for place, kib in _private(folder, limits).items():
        private = shlex.quote(root + str(place))
        options = f"size={kib}k,mode=777"
        lines.append(f"mkdir -p {private}; mount -t tmpfs -o {options} tmpfs {private}")
    lines.append(f"mount -o remount,ro {root}")
    command = ["chroot", root, *_drop(job), "sh", "-c", inner]
    lines.append(f"exec {shlex.join(command)}")
    users = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    words = ["unshare", *users, "--net", "--mount", "--pid", "--ipc", "--uts"]
    return [*words, "--fork", "--kill-child", "--", "sh", "-c", "\n".join(lines)]


def root_is_a_mount() -> bool:
    """Whether the root is a mount point, which it is not after `chroot` to a folder."""
    return any(words[4] == "/" for words in _mounts())


def _in_mounted_root(words: list[str]) -> list[str]:
    """The command with a root that is a mount point."""
    if os.geteuid() != 0 or root_is_a_mount():
        return words
    own = ["unshare", "--mount", "--propagation", "unchanged", "--"]
    return [*own, "sh", "-c", MOUNTED_ROOT, "sh", *words]


class Isolation:
    """A way to run commands apart."""

    def __init__(self, method: str) -> None:
        self.method = method

    def command(
        self,
        command: Sequence[str],
        inputs: Path,
        folder: Path,
        limits: Limits,
        job: int,
    ) -> tuple[list[str], dict[str, str]]:
        """The command line, with its environment, that runs a command in `folder`
        with copies of the files of `inputs`. `job` tells commands at the same time
        apart."""
        environment = _environment(folder)
        if self.method == "none":
            inner = _script(command, folder, limits, str(inputs))
            return ["sh", "-c", inner], environment
        inner = _script(command, folder, limits, INPUTS)
        wrap = _bubblewrap if self.method == "bubblewrap" else _namespaces
        words = wrap(inner, inputs, folder, limits, job)
        return _in_mounted_root(words), environment


def usable_methods() -> list[str]:
    """The methods whose programs are installed, the best first."""
    found = ["bubblewrap"] if shutil.which("bwrap") else []
    return found + (["namespaces"] if shutil.which("unshare") else [])


def no_isolation(tried: dict[str, str]) -> InputError:
    """The error of a system where nothing works; `tried` has the reasons."""
    reasons = "; ".join(f"{name}: {why}" for name, why in tried.items()) or "none found"
    return InputError(
        "E-traces-183",
        f"code of students cannot be isolated here ({reasons}): install bubblewrap, "
        "or grade only people you trust with --isolation=none",
    )
