"""Sphinx configuration of the documentation site: `make docs` builds it into .build/docs."""

project = "minisql"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
html_theme = "furo"
html_title = "minisql"
# Pages link to files of the repository that are not pages of the site, and generated pages jump over a level of headings.
suppress_warnings = ["myst.xref_missing", "myst.header"]
myst_heading_anchors = 3
