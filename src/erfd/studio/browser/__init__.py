"""What the browser gets: our own page elements, packets of arrays, scenes as numbers."""

from pathlib import Path

WEB = Path(__file__).parent / "web"
"""The folder of scripts and style sheets."""
