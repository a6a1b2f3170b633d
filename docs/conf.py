"""The documentation site: `make site` builds it from these pages, offline."""

import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# cells of tutorials call the command: the one of this installation
os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
if shutil.which("erfd") is None:
    raise RuntimeError("the command erfd is not beside this Python: tutorials cannot be run")
sys.path.insert(0, str(HERE / "site"))

import erfd  # noqa: E402

project = "ERFD"
author = "The ERFD developers"
copyright = author
version = release = erfd.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "sphinx_copybutton",
    "formulas",
    "irl_lexer",
    "signatures",
    "generated_pages",
    "outside_links",
]
exclude_patterns = ["_build", "site", "**.ipynb_checkpoints", "jupyter_execute"]
templates_path: list[str] = []

html_theme = "furo"
html_title = f"ERFD {release}"
html_static_path = ["site/static"]
html_css_files = ["erfd.css"]
html_show_sphinx = False
html_show_copyright = False

myst_enable_extensions = ["colon_fence", "dollarmath", "deflist", "attrs_inline"]
myst_heading_anchors = 4
myst_all_links_external = False
# a tutorial that fails is an error of the site
nb_execution_mode = "force"  # made anew each time: what it shows is of today's code
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_in_temp = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
python_use_unqualified_type_names = True
highlight_language = "text"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
html_math_renderer = "mathml"
