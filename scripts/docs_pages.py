"""What the site has beside docs/: the notebooks as pages, and the changes. Links lead within the site."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent


def on_files(files: Files, config: Any, **_: Any) -> Files:
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        files.append(File.generated(config, f"notebooks/{notebook.name}", abs_src_path=str(notebook)))
        files.append(File.generated(config, f"notebooks/{notebook.stem}.md", content=page(notebook)))
    files.append(File.generated(config, "changelog.md", abs_src_path=str(ROOT / "CHANGELOG.md")))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    markdown = re.sub(r"\]\(\.\./notebooks/(\w+)\.ipynb", r"](notebooks/\1.md", markdown)
    markdown = markdown.replace("](../docs/", "](../")
    return markdown.replace("](../CHANGELOG.md", "](changelog.md")


def page(path: Path) -> str:
    """A notebook as Markdown: its texts, its code, and what is kept of its outputs."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(_fenced(source, "python"))
        parts += [_shown(output) for output in cell["outputs"]]
    parts.insert(1, f"[The notebook itself]({path.name}), to download and run.")
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        # One block of HTML: its own markup, in which Markdown has no say.
        return f'<div class="output">{_joined(data["text/html"])}</div>'
    return _fenced(_joined(output.get("text") or data.get("text/plain", "")).rstrip("\n"), "text")


def _joined(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
