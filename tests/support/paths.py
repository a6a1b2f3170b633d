"""Where things are: the project, its documentation and examples, the data of the tests."""

from pathlib import Path

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
DATA = TESTS / "data"
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "examples"
