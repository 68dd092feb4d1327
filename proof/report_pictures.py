"""Pictures of reports, to be looked at: python proof/report_pictures.py FOLDER.

One report for each number of classes and of models, on generated cases; then every section of it
at three widths, light and dark, and the pages of its print at A4. What is there already is kept,
so that the command may be stopped and resumed: remove ``FOLDER/pages`` after a change of the code.
Pictures of one width and scheme are sections below each other, in sheets of at most ``TALLEST``.
"""

import argparse
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from polyroc.report import write_report

CLASSES = (2, 3, 5, 10, 50, 300)
MODELS = (1, 3, 6)
WIDTHS = (390, 768, 1280)
SCHEMES = ("light", "dark")
TALLEST = 2400
NAMES = {
    2: ("healthy", "ill"),
    3: ("benign", "borderline", "malignant"),
    5: ("daisy", "dandelion", "rose", "sunflower", "tulip"),
    10: ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"),
}
KINDS = ("logistic", "forest", "boosting", "naive Bayes", "nearest neighbours", "network, 3 layers")


def report(path: Path, n_classes: int, n_models: int) -> None:
    """Classes of different size; some are neighbours, which models confuse more often."""
    rng = np.random.default_rng([n_classes, n_models])
    n_cases = int(np.clip(200 * n_classes, 600, 3000))
    shares = rng.dirichlet(np.full(n_classes, 6.0))
    y = np.append(np.repeat(np.arange(n_classes), 3), rng.choice(n_classes, n_cases, p=shares))
    own = np.eye(n_classes)[y]
    near = 0.45 * (np.roll(own, 1, axis=1) + np.roll(own, -1, axis=1)) if n_classes > 2 else 0
    size = 1.6 + 0.4 * np.log(n_classes)
    common = rng.normal(size=(len(y), n_classes))
    models = {}
    for m, kind in enumerate(KINDS[:n_models]):
        noise = 0.8 * common + 0.6 * rng.normal(size=common.shape)
        logits = (0.8, 1.0, 1.5, 2.5, 0.6, 1.2)[m] * ((size - 0.15 * m) * (own + near) + noise)
        scores = np.exp(logits - logits.max(axis=1, keepdims=True))
        models[kind] = scores / scores.sum(axis=1, keepdims=True)
    names = NAMES.get(n_classes) or tuple(f"species {k:03}" for k in range(n_classes))
    write_report(path, np.array(names)[y], models, labels=names, source="generated.csv")


def pictures(browser: Browser, page_path: Path, folder: Path) -> None:
    for width in WIDTHS:
        for scheme in SCHEMES:
            name = f"{page_path.stem}-{width}-{scheme}"
            if (folder / f"{name}.done").exists():
                continue
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(page_path.as_uri())
            page.wait_for_selector("html[data-ready]", state="attached")
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            height = page.evaluate("() => document.documentElement.scrollHeight")
            page.set_viewport_size({"width": width, "height": height})
            for place, top in enumerate(range(0, height, TALLEST)):
                clip = {"x": 0, "y": top, "width": width, "height": min(TALLEST, height - top)}
                page.screenshot(path=folder / f"{name}-{place}.png", clip=clip, full_page=True)
            context.close()
            print(name, f"{height} px", "" if wide <= width else f"SCROLLS: {wide} px", flush=True)
            (folder / f"{name}.done").touch()


def paper(browser: Browser, page_path: Path, folder: Path) -> None:
    """The print at A4, a picture per sheet."""
    target = folder / f"{page_path.stem}-a4.pdf"
    if target.exists():
        return
    page = browser.new_page()
    page.goto(page_path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached")
    page.pdf(path=target, format="A4")
    page.close()
    subprocess.run(["pdftoppm", "-r", "80", "-png", target, target.with_suffix("")], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="pages whose name, as 10-3, matches this")
    options = parser.parse_args()
    pages, shots = options.folder / "pages", options.folder / "pictures"
    for each in (pages, shots):
        each.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for n_classes in CLASSES:
            for n_models in MODELS:
                path = pages / f"{n_classes}-{n_models}.html"
                if not re.fullmatch(options.only or ".*", path.stem):
                    continue
                if not path.exists():
                    report(path, n_classes, n_models)
                pictures(browser, path, shots)
                paper(browser, path, shots)
        browser.close()


if __name__ == "__main__":
    main()
