"""Links that lead out of the pages: to pages of the site, or named only."""

import re
from pathlib import Path
from typing import Any

PAGES = {
    "CONTRIBUTING.md": "reference/made/contributing.md",
    "CHANGELOG.md": "reference/made/changelog.md",
    "README.md": "index.md",
}
"""Files of the project's folder that are pages of the site, too."""


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True}


def read(app: Any, name: str, source: list[str]) -> None:
    """Links of a page `../FILE` as links that the site can follow; folders have only their name."""
    root = Path(app.srcdir).parent
    here = (Path(app.srcdir) / name).parent

    def target(match: re.Match[str]) -> str:
        text, link = match.groups()
        file, _, anchor = link.partition("#")
        path = (here / file).resolve()
        if re.match(r"[a-z]+:|#", link) or path.is_relative_to(app.srcdir):
            return match[0]
        inside = str(path.relative_to(root)) if path.is_relative_to(root) else ""
        if inside in PAGES:
            return f"[{text}](/{PAGES[inside]}{'#' + anchor if anchor else ''})"
        return f"{text} (`{inside}`)" if text.strip("`") != inside else f"`{inside}`"

    source[0] = re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", target, source[0])
