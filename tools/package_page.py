"""The description that a package index shows: README.md, its links as seen from anywhere.

Hatchling calls this when it builds a package. ERFD_HOME is the address of the source
(https://.../owner/name), ERFD_REF the tag or branch; the release workflow gives both. Without them
links stay relative, as in the folder.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class PackagePage(MetadataHookInterface):
    """The hook: puts the description into the metadata, and the addresses of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill what pyproject.toml calls dynamic."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        home, ref = os.environ.get("ERFD_HOME", "").rstrip("/"), os.environ.get("ERFD_REF", "main")
        if home:
            text = absolute(text, home, ref)
            metadata["urls"] = {
                "Source": home,
                "Documentation": f"{home}/blob/{ref}/docs/index.md",
                "Changes": f"{home}/blob/{ref}/CHANGELOG.md",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def absolute(text: str, home: str, ref: str) -> str:
    """A page whose relative images and links lead to the source at a tag or branch."""

    def target(match: re.Match[str]) -> str:
        mark, words, path = match.groups()
        if re.match(r"[a-z]+:|#", path):
            return match[0]
        return f"{mark}[{words}]({home}/{'raw' if mark else 'blob'}/{ref}/{path})"

    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", target, text)
