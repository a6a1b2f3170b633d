"""Pages of the reference that are made of the code: names, commands, columns of runs, sentences.

They come into being in `reference/made/` before Sphinx reads the pages.
"""

import argparse
import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
SOURCE = DOCS.parent / "src" / "erfd"
MADE = "reference/made"
COLUMNS = """# Columns of runs

What a `Run` may hold, `run["name"]`, and its unit for a joint that turns; a joint that slides has m
and N. `ua_...` are the parts of the motor torque, `..._given` what was asked for. Numbers at rotors
(`q_a`, `u_a`, `ua_...`) are at the shaft of the motor. In files the quantity of joint 1 is `q1`,
with the unit in the header: [how columns are named](../../achievable.md).
"""
SENTENCES = """# Sentences of mistakes

What ERFD says when something cannot be meant, by the part that says it. Words in braces are filled
in. On the command line a sentence stands behind `erfd:` or the file and line, with exit code 2; in
Python it is the text of an `erfd.errors.ErfdError`.
"""


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("config-inited", lambda app, config: write(Path(app.srcdir) / MADE))
    return {"parallel_read_safe": True}


def write(folder: Path) -> None:
    """All made pages, each only if it changed, so that Sphinx reads it no more than it must."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = dict(
        [
            *with_index("api-index", "Every name, by section", api_pages()),
            *with_index("commands", "Every command", command_pages()),
            *outside_pages(),
            ("run-columns", run_columns()),
            ("sentences", sentences()),
        ]
    )
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()


def with_index(
    name: str, title: str, pages: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Pages, and one that lists them."""
    listed = []
    for page, text in pages:
        listed.append(page)
        yield page, text
    lines = [f"# {title}", "", "```{toctree}", ":maxdepth: 1", "", *listed, "```", ""]
    yield name, "\n".join(lines)


def outside_pages() -> Iterator[tuple[str, str]]:
    """Pages that stand in the project's folder, with their links as seen from here."""
    for name in ("CONTRIBUTING", "CHANGELOG"):
        text = (DOCS.parent / f"{name}.md").read_text(encoding="utf-8")
        yield name.lower(), re.sub(r"\]\((?![a-z]+:|#)", "](../../../", text)


def api_sections() -> Iterator[tuple[str, list[str]]]:
    """The sections of `api.md` and the names in their tables."""
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title = section.splitlines()[0].strip()
        names = re.findall(r"^\| `(\w+)", section, re.M)
        if names:
            yield title, names


def api_pages() -> Iterator[tuple[str, str]]:
    """A page a section, with what the docstrings say."""
    import inspect

    import erfd

    for title, names in api_sections():
        lines = [f"# {title}", ""]
        for name in names:
            thing = getattr(erfd, name)
            if inspect.ismodule(thing):
                directive, options = "automodule", ["   :members:", "   :show-inheritance:"]
            elif inspect.isclass(thing):
                directive, options = "autoclass", ["   :members:"]
            else:
                directive, options = "autofunction", []
            lines += ["```{eval-rst}", f".. {directive}:: erfd.{name}", *options, "```", ""]
        yield "api-" + slug(title.partition("(")[0]), "\n".join(lines)


def command_pages() -> Iterator[tuple[str, str]]:
    """A page a command: what it does, and its help, as the parser prints it."""
    from erfd.cli import COMMANDS, parser

    for name in COMMANDS:
        yield f"command-{name}", command_page(name, parser(name))


def command_page(name: str, top: argparse.ArgumentParser) -> str:
    """One command with those below it."""
    lines = []
    for depth, (words, command) in enumerate(below(f"erfd {name}", children(top)[name])):
        lines += ["#" * (1 if depth == 0 else 2) + f" `{words}`", ""]
        if command.description:
            lines += [command.description, ""]
        lines += ["```text", command.format_usage().removeprefix("usage: ").rstrip(), "```", ""]
        rows = [
            row(command, action)
            for action in command._actions
            if action.help != argparse.SUPPRESS and action.dest != "help"
        ]
        lines += ["| word | meaning |", "|---|---|", *rows, ""]
        if command.epilog:
            title, _, example = command.epilog.partition("\n")
            lines += [title.capitalize(), "", "```text", example.strip(), "```", ""]
    return "\n".join(lines)


def row(command: argparse.ArgumentParser, action: argparse.Action) -> str:
    """An option or word of a command as a row of its table."""
    formatter = command._get_formatter()
    word = formatter._format_action_invocation(action)
    meaning = formatter._expand_help(action) if action.help else ""
    if isinstance(action, argparse._SubParsersAction):
        word, meaning = "COMMAND", ", ".join(f"`{name}`" for name in action.choices)
    return f"| {code(word)} | {meaning} |".replace("\\", "\\\\")


def children(command: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands below one."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def below(
    words: str, command: argparse.ArgumentParser
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """A command and all those below it, with their words."""
    yield words, command
    for name, child in children(command).items():
        yield from below(f"{words} {name}", child)


def run_columns() -> str:
    """The quantities of runs and their units."""
    from erfd.run.columns import OF_CYCLES, UNITS

    of_cycle = "the cycle that ends here; row 0 belongs to none"
    rows = [
        f"| `{name}` | {unit or '-'} | {of_cycle if name in OF_CYCLES else 'the moment'} |"
        for name, unit in UNITS.items()
    ]
    return "\n".join([COLUMNS, "| quantity | unit | a row is of |", "|---|---|---|", *rows, ""])


def sentences() -> str:
    """Every sentence that an `ErfdError` says, by the room that says it, values in braces."""
    rooms = [p for p in SOURCE.iterdir() if p.is_dir() and not p.name.startswith("_")]
    lines = [SENTENCES]
    for room in sorted(rooms):
        found = sorted({text for file in room.rglob("*.py") for text in raised(file)})
        if found:
            lines += [f"## {room.name}", "", *(f"- {code(text)}" for text in found), ""]
    return "\n".join(lines)


def raised(file: Path) -> Iterator[str]:
    """The sentences of the errors of ERFD that a module raises by name."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            kind = ast.unparse(node.exc.func)
            text = template(node.exc.args[0])
            if kind.endswith("Error") and text and " " in text:
                yield text


def template(node: ast.expr) -> str:
    """A string or f-string as written, with the values in braces; "" for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else "{" + short(part.value) + "}"
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        )
    return ""


def short(value: ast.expr) -> str:
    """What stands between braces: the last name in it."""
    names = re.findall(r"[A-Za-z_]\w*", ast.unparse(value))
    return names[-1].strip("_") if names else "..."


def code(text: str) -> str:
    """A text between backticks, whatever it holds."""
    ticks = "``" if "`" in text else "`"
    return f"{ticks}{' '.join(text.split())}{ticks}"


def slug(title: str) -> str:
    """A title as a file name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
