"""Writes man pages and shell completion from what tools print for --help.

    python manuals.py --version 1.0 --out=share build/bin/bakerc build/bin/ixpsim

writes for each tool, below the folder:

    man/man1/TOOL.1.gz                        page for man
    bash-completion/completions/TOOL          completion for bash,
    zsh/vendor-completions/_TOOL              zsh
    fish/vendor_completions.d/TOOL.fish       and fish

So an option is described once, where the tool declares it. The tools print their
help with CLI11 or with LLVM's command line library, of which only the options that
belong to Karakal are kept. Equal help makes equal bytes.
"""

import argparse
import gzip
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

#: LLVM's libraries declare hundreds of options; of these, a tool takes only these
#: and those of its passes, which begin with "baker-".
LLVM_OPTIONS = (
    "explain", "o", "pass-pipeline", "show-dialects", "split-input-file",
    "verify-diagnostics",
)  # fmt: skip
#: Options with a value in LLVM's help: `-o <filename>`, `--explain=<pass>`.
LLVM_OPTION = re.compile(r" +(--?)([a-z][\w-]*)(\[?[ =]<\w+>\]?)? +- +(\S.*)")
CLI11_OPTION = re.compile(
    r"  (-[\w,-]*)(?:\{[^}]*\}|\[=\w+\])?"
    r"(?: ([A-Z]+\S*(?: in \[.*?\])?.*?|:\{.*?\}.*?))?(?:  +(.*))?"
)
CLI11_POSITIONAL = re.compile(r"  (\S+)(?: ([A-Z][A-Z]+.*?))?(?:  +(\S.*))?")
CHOICES = re.compile(r"\{([^}]*)\}")


@dataclass
class Option:
    """An option: its names with dashes, what its value is called, its text."""

    names: list[str]
    value: str = ""
    text: str = ""
    choices: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        self.text = f"{self.text} {text.strip()}".strip()


@dataclass
class Manual:
    """What a tool says about itself."""

    name: str
    summary: str = ""
    usage: str = ""
    positionals: list[Option] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    #: Paragraphs after the options.
    notes: list[str] = field(default_factory=list)


def help_of(tool: Path) -> str:
    """What a tool prints for --help; ends the program if it has none."""
    run = subprocess.run(
        [tool, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if run.returncode != 0 or "--help" not in run.stdout:
        sys.exit(f"manuals.py: {tool} --help prints no help")
    return run.stdout


def choices_of(value: str) -> list[str]:
    """The values that CLI11 lists: `{a,b}`, `{json->1,text->0}`."""
    listed = CHOICES.search(value)
    return [c.partition("->")[0] for c in listed[1].split(",")] if listed else []


def parse_cli11(name: str, text: str) -> Manual:
    """Reads the help of a tool that uses CLI11."""
    before, _, rest = text.partition("Usage: ")
    usage, _, rest = rest.partition("\n")
    manual = Manual(name, " ".join(before.split()), usage.partition(" ")[2])
    entries: list[Option] | None = None
    for line in rest.splitlines():
        if line in ("Positionals:", "Options:"):
            entries = manual.options if line == "Options:" else manual.positionals
        elif line and not line.startswith(" "):
            entries = None
            manual.notes.append(line)
        elif entries and line.startswith(" " * 10):
            entries[-1].add(line)
        elif entries is not None and line.strip():
            pattern = CLI11_OPTION if entries is manual.options else CLI11_POSITIONAL
            match = pattern.fullmatch(line)
            if not match:
                sys.exit(f"manuals.py: {name}: cannot read the line '{line}'")
            value = match[2] or ""
            word = re.split(r"[:=\s]", value)[0]
            option = Option(match[1].split(","), word, "", choices_of(value))
            option.add(match[3] or "")
            entries.append(option)
    return manual


def parse_llvm(name: str, text: str) -> Manual:
    """Reads the help of a tool that uses LLVM's command line library."""
    overview = re.search(r"OVERVIEW: (.*)", text)
    usage = re.search(r"USAGE: \S+ (.*)", text)
    assert overview and usage, "LLVM prints both"
    manual = Manual(name, overview[1], usage[1])
    for line in text.splitlines():
        match = LLVM_OPTION.fullmatch(line)
        if not match:
            continue
        is_ours = match[2].startswith("baker-") or match[2] in LLVM_OPTIONS
        if is_ours and all(match[1] + match[2] not in o.names for o in manual.options):
            value = (match[3] or "").strip("[]= <>")
            manual.options.append(Option([match[1] + match[2]], value, match[4]))
    manual.notes.append("--help also lists the options of LLVM and MLIR.")
    return manual


def manual_of(tool: Path) -> Manual:
    text = help_of(tool)
    parse = parse_llvm if text.startswith("OVERVIEW:") else parse_cli11
    manual = parse(tool.name, text)
    if not manual.options:
        sys.exit(f"manuals.py: {tool} --help lists no option")
    return manual


def roff(text: str) -> str:
    """Text that troff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def named(option: Option) -> str:
    """An option as a man page shows it: names bold, value in italics."""
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names)
    if not option.value:
        return names
    joint = "=" if option.names[-1].startswith("--") else " "
    return f"{names}{joint}\\fI{roff(option.value)}\\fR"


def man_page(manual: Manual, version: str) -> str:
    name = roff(manual.name)
    lines = [
        f'.TH {manual.name.upper()} 1 "" "Karakal {version}" "Karakal"',
        ".SH NAME",
        f"{name} \\- {roff(manual.summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {name}",
        roff(manual.usage),
    ]
    for title, entries in (
        ("ARGUMENTS", manual.positionals),
        ("OPTIONS", manual.options),
    ):
        lines += [f".SH {title}"] if entries else []
        for entry in entries:
            text = entry.text
            if entry.choices and not all(choice in text for choice in entry.choices):
                text = f"{text} ({', '.join(entry.choices)})".strip()
            lines += [".TP", named(entry), roff(text)]
    if not any("Exit status" in note for note in manual.notes):
        lines += [
            ".SH EXIT STATUS",
            "0 done; 1 the input is wrong; 2 the command line is wrong; "
            "3 an internal error.",
        ]
    if manual.notes:
        lines += [".SH NOTES"] + [roff(note) for note in manual.notes]
    lines += [".SH SEE ALSO", "The documents in /usr/share/doc/karakal."]
    return "\n".join(lines) + "\n"


def flags(manual: Manual) -> list[str]:
    """All names; those of long options with a value end with `=`."""
    return [
        name + ("=" if option.value and name.startswith("--") else "")
        for option in manual.options
        for name in option.names
    ]


def bash_completion(manual: Manual) -> str:
    function = "_" + manual.name.replace("-", "_")
    cases = [
        f"    {'|'.join(option.names)})\n"
        f"      mapfile -t COMPREPLY < <(compgen -W '{' '.join(option.choices)}' "
        '-- "$word")\n      return ;;'
        for option in manual.options
        if option.choices
    ]
    choices = "\n".join(cases)
    case = f"  case $option in\n{choices}\n  esac\n" if cases else ""
    return f"""\
# bash completion for {manual.name}
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}}
  if [[ $word == = ]]; then
    word=
  elif [[ $option == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
{case}  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{" ".join(flags(manual))}' -- "$word")
    [[ ${{COMPREPLY[0]-}} != *= ]] || compopt -o nospace
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames
  fi
}}
complete -F {function} {manual.name}
"""


def shell_quote(text: str) -> str:
    return text.replace("'", "'\\''")


def zsh_completion(manual: Manual) -> str:
    lines = []
    for option in manual.options:
        text = re.sub(r"([\[\]:\\])", r"\\\1", shell_quote(option.text))
        action = f"({' '.join(option.choices)})" if option.choices else "_files"
        for name in option.names:
            joint = "=" if option.value and name.startswith("--") else ""
            value = f":{option.value.lower()}:{action}" if option.value else ""
            lines.append(f"  '*{name}{joint}[{text}]{value}' \\")
    return (
        f"#compdef {manual.name}\n_arguments \\\n"
        + "\n".join(lines)
        + "\n  '*:file:_files'\n"
    )


def fish_completion(manual: Manual) -> str:
    lines = []
    for option in manual.options:
        words = [f"complete -c {manual.name}"]
        for name in option.names:
            kind = "l" if name.startswith("--") else "s" if len(name) == 2 else "o"
            words.append(f"-{kind} {name.lstrip('-')}")
        if option.choices:
            words.append(f"-x -a '{' '.join(option.choices)}'")
        elif option.value:
            words.append("-r")
        text = option.text.replace("\\", "\\\\").replace("'", "\\'")
        words.append(f"-d '{text}'")
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def write_manual(manual: Manual, version: str, out: Path) -> None:
    """Writes the four files of a tool."""
    page = gzip.compress(man_page(manual, version).encode(), 9, mtime=0)
    name = manual.name
    files = {
        f"man/man1/{name}.1.gz": page,
        f"bash-completion/completions/{name}": bash_completion(manual).encode(),
        f"zsh/vendor-completions/_{name}": zsh_completion(manual).encode(),
        f"fish/vendor_completions.d/{name}.fish": fish_completion(manual).encode(),
    }
    for file, data in files.items():
        path = out / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tools", type=Path, nargs="+")
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    for tool in args.tools:
        write_manual(manual_of(tool), args.version, args.out)


if __name__ == "__main__":
    main()
