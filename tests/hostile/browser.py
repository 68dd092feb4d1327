"""What pages do in a browser: ``python browser.py CHROMIUM PAGE …`` prints it as JSON.

It runs in a process of its own, since other tests keep a browser open in theirs.
"""

import json
import sys
from pathlib import Path
from typing import Any

TOUCH = """async () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const choice of document.querySelectorAll("select")) {
    for (let place = 0; place < choice.options.length; place += 1) {
      choice.selectedIndex = place;
      choice.dispatchEvent(new Event("input", { bubbles: true }));
      choice.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
  for (const each of document.querySelectorAll("button, canvas, svg *, td, th, summary")) {
    const { left, top, width, height } = each.getBoundingClientRect();
    const place = { bubbles: true, clientX: left + width / 2, clientY: top + height / 2 };
    for (const kind of ["pointerenter", "pointermove", "mouseover", "mousemove", "focus"]) {
      each.dispatchEvent(new PointerEvent(kind, place));
    }
    if (each.tagName === "BUTTON") each.click();
  }
  await new Promise((done) => setTimeout(done, 300));
}"""
"""Open, choose, hover and press everything, so that every name is drawn in every way."""

SEEN = """() => ({
  hacked: window.hacked ?? null,
  scripts: document.querySelectorAll("script").length,
  frames: document.querySelectorAll("iframe, object, embed, link, base, img").length,
  text: document.documentElement.textContent,
  title: document.title,
  options: [...document.querySelectorAll("select option")].map((each) => each.textContent),
})"""


def visit(browser: Any, page: Path) -> dict[str, Any]:
    """What a page did while everything on it was touched."""
    said: list[str] = []
    asked: list[str] = []
    opened = browser.new_page()
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("console", lambda line: said.append(line.text))
    opened.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    opened.on("popup", lambda other: said.append(f"opened {other.url}"))
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(page.as_uri())
    opened.wait_for_selector("html[data-ready]", state="attached", timeout=20_000)
    opened.evaluate(TOUCH)
    seen: dict[str, Any] = opened.evaluate(SEEN)
    opened.close()
    return {**seen, "said": said, "asked": asked}


def main(chromium: str, pages: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        print(json.dumps([visit(browser, Path(page)) for page in pages]))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
