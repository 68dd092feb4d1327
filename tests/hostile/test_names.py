"""Names that want to be code: on pages and in pictures they are text and nothing else."""

import io
import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hostile import browser

from polyroc.report import write_report
from polyroc.report._content import gather
from polyroc.report._page import render

HACK = "window.hacked=1"
HOSTILE = (
    f"<script>{HACK}</script>",
    f"</script><script>{HACK}</script>",
    f"</title></style></textarea><script>{HACK}</script>",
    f"<img src=x onerror={HACK}>",
    f"<svg/onload={HACK}>",
    f'" onmouseover="{HACK}" x="',
    f"' onfocus='{HACK}' autofocus x='",
    f"<!--<script>{HACK}//",
    f"]]><script>{HACK}</script>",
    f"${{{HACK}}}",
    f"`+({HACK})+`",
    f'"];{HACK};//',
    f"\\\";{HACK}//",
    f"javascript:{HACK}",
    f"\u2028{HACK}//",
    "<base href=http://127.0.0.1:9/>",
    "<link rel=stylesheet href=http://127.0.0.1:9/x.css>",
    "<iframe src=http://127.0.0.1:9/>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
    "</script",
    "&lt;script&gt;",
    "&#60;script&#62;",
    "\u202egnp.exe",
    "\x1b[31mred\x07",
    "nul\0nul",
    "__proto__",
    "constructor",
    "{{7*7}}",
    "=1+1",
    "\ud83d half",
)  # fmt: skip


def sample(names: list[str], models: list[str], title: str) -> dict[str, Any]:
    """Predictions of some models for cases of classes with these names."""
    rng = np.random.default_rng(len(names))
    n_classes = len(names)
    codes = np.arange(12 * n_classes) % n_classes
    scores = {}
    for model in models:
        logits = rng.normal(size=(len(codes), n_classes)) + 1.5 * np.eye(n_classes)[codes]
        scores[model] = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    y = np.array([names[code] for code in codes], dtype=object)
    return {"y_true": y, "models": scores, "labels": names, "title": title}


PAGES = {
    "three classes": sample(list(HOSTILE[:3]), list(HOSTILE[3:9]), HOSTILE[2]),
    "five classes": sample(list(HOSTILE[9:14]), list(HOSTILE[14:20]), HOSTILE[18]),
    "many classes": sample(list(HOSTILE), [HOSTILE[1], "__proto__", "\ud83d half"], HOSTILE[0]),
}


def chromium() -> str:
    """The system's browser; where one is required, its absence is a failure."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found is not None:
            return found
    if os.environ.get("POLYROC_REQUIRE_BROWSER") == "1":
        pytest.fail("POLYROC_REQUIRE_BROWSER=1, but there is no chromium")
    pytest.skip("there is no chromium: install it with the packages of the system")


def as_page(text: str) -> str:
    """What a page shows for a name: a page has no zeros and no halves of signs."""
    return text.replace("\0", "").encode(errors="replace").decode()


@pytest.mark.browser
def test_names_on_a_page_run_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright")
    found_browser = chromium()
    monkeypatch.setattr("polyroc.report._surfaces.GENERATIONS", 1)
    monkeypatch.setattr("polyroc.report._surfaces.GINI_SAMPLES", 1000)
    paths = [write_report(tmp_path / f"{kind}.html", **each) for kind, each in PAGES.items()]
    done = subprocess.run(
        [sys.executable, browser.__file__, found_browser, *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    results = zip(PAGES.items(), paths, json.loads(done.stdout), strict=True)
    for (kind, arguments), path, found in results:
        assert found["hacked"] is None, kind
        assert found["said"] == [], kind
        assert found["asked"] == [path.as_uri()], kind
        assert found["scripts"] == 3 and found["frames"] == 0, kind
        assert as_page(arguments["title"]) in found["text"]
        for name in [*arguments["labels"], *arguments["models"]]:
            assert as_page(name) in found["text"] or as_page(name)[:20] in found["text"], name


@pytest.mark.parametrize("kind", PAGES)
def test_names_in_the_text_of_a_page(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two script elements, whose texts no name can end, and a policy that allows no others."""
    monkeypatch.setattr("polyroc.report._surfaces.GENERATIONS", 1)
    monkeypatch.setattr("polyroc.report._surfaces.GINI_SAMPLES", 1000)
    text = render(gather(**PAGES[kind]))
    assert text.lower().count("<script") == 3 == text.lower().count("</script>")
    assert "<!--" not in text and "<base" not in text and "<iframe" not in text
    assert "default-src &#x27;none&#x27;; script-src &#x27;sha256-" in text
    start = text.index('id="page-data">') + len('id="page-data">')
    data = json.loads(text[start : text.index("</script>", start)])
    assert data["classes"] == [str(name) for name in PAGES[kind]["labels"]]


@pytest.mark.parametrize("kind", ["path", "none"])
def test_names_in_a_picture(kind: str) -> None:
    """An SVG file is well formed and holds no script, with letters as paths or as text."""
    import matplotlib as mpl

    from polyroc.display import RocCurvesDisplay

    names = list(HOSTILE)
    arguments = sample(names, ["m"], "")
    display = RocCurvesDisplay.from_predictions(
        arguments["y_true"], arguments["models"]["m"], labels=names
    )
    file = io.BytesIO()
    with warnings.catch_warnings(), mpl.rc_context({"svg.fonttype": kind}):
        warnings.simplefilter("ignore")  # of signs that the font does not have
        display.plot()
        display.figure_.savefig(file, format="svg")
        mpl.pyplot.close(display.figure_)
    root = ElementTree.fromstring(file.getvalue())
    assert not [each for each in root.iter() if "script" in each.tag or "onload" in each.attrib]


def test_names_in_messages_are_one_line() -> None:
    """As class, column and option; the oracle of all other tests, spelled out once."""
    from polyroc import Predictions
    from polyroc.errors import PolyrocError

    for name in HOSTILE:
        for arguments in (
            {"y_true": [name, "a"], "y_score": [[0.5, 0.5]] * 2, "labels": ["a", "b"]},
            {"y_true": [name, name], "y_score": [[0.5, 0.5]] * 2},
            {"y_true": [name, "a"], "y_score": [[0.5, 0.5]] * 2, "absent": name},
        ):
            with pytest.raises(PolyrocError) as caught:
                Predictions(**arguments)
            message = str(caught.value)
            assert message.isprintable(), message
