"""How Sphinx builds the pages: ``make docs``."""

import sys
from pathlib import Path

import polyroc

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "polyroc"
author = "the authors of polyroc"
version = release = polyroc.__version__

extensions = [
    "demo_report",
    "docstrings",
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_*", "**/__pycache__"]
nitpicky = True

# Pages
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]

# Reference: a page for each public name, written from its docstring
autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Gallery: scripts of a few lines, run by the build
sphinx_gallery_conf = {
    "examples_dirs": ["../examples/displays"],
    "gallery_dirs": ["displays"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "gallery_order.By",
    "backreferences_dir": "api/generated/examples",
    "doc_module": ("polyroc",),
    "inspect_global_variables": False,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "notebook_extensions": set(),
    "capture_repr": (),
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e6,
    "write_computation_times": False,
}

# Looks; nothing is loaded from a network
html_theme = "pydata_sphinx_theme"
html_title = f"polyroc {release}"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": True,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
