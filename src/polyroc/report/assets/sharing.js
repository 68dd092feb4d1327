// Tables as CSV, Markdown or LaTeX, and figures as SVG or PNG, for papers and messages.

import { make, byId } from "./elements.js";

// A value with what stands below it in brackets, as papers print it: "0.892 (0.868 to 0.913)".
function cellText(cell) {
  const text = (node) => node?.textContent.replace(/\s+/g, " ").trim();
  const below = text(cell.querySelector("small"));
  const copyOf = cell.cloneNode(true);
  copyOf.querySelectorAll("small, .badge").forEach((each) => each.remove());
  copyOf.querySelectorAll("b").forEach((each) => each.append(" "));
  return below ? `${text(copyOf)} (${below})` : text(copyOf);
}

// Rows of texts; columns that are pictures are left out.
export function rowsOf(table) {
  const drawn = new Set();
  for (const row of table.rows)
    [...row.cells].forEach((cell, place) => {
      if (cell.querySelector("svg, .bar")) drawn.add(place);
    });
  return [...table.rows].map((row) =>
    [...row.cells]
      .filter((cell, place) => !drawn.has(place) && getComputedStyle(cell).display !== "none")
      .map(cellText),
  );
}

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const ESCAPED = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
const IN_MATHS = {
  "−": "-",
  "≤": "\\le",
  "↓": "\\downarrow",
  "→": "\\rightarrow",
  "μ": "\\mu",
  "₂": "_2",
  "½": "\\frac12",
};
const latex = (text) =>
  text
    .replace(/[\\~^]|[&%$#_{}]/g, (each) => ESCAPED[each] ?? `\\${each}`)
    .replaceAll("\u00a0", "~")
    .replace(/[−≤<>↓→μ₂½]/g, (each) => `$${IN_MATHS[each] ?? each}$`);

// Columns of numbers are set to the right; the first names the row.
const ofNumbers = (head, rows) =>
  head.map((_, k) => k > 0 && rows.some((row) => /^[−+<>≤]?\s?\d/.test(row[k])));

export const FORMATS = {
  CSV: (rows) => rows.map((row) => row.map(quoted).join(",")).join("\n"),
  Markdown: ([head, ...rows]) => {
    const line = (row) => `| ${row.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
    const sides = ofNumbers(head, rows).map((each) => (each ? "---:" : "---"));
    return [line(head), line(sides), ...rows.map(line)].join("\n");
  },
  LaTeX: ([head, ...rows]) => {
    const line = (row) => `${row.map(latex).join(" & ")} \\\\`;
    const columns = ofNumbers(head, rows).map((each) => (each ? "r" : "l")).join("");
    return [
      `\\begin{tabular}{${columns}}`,
      "\\toprule",
      line(head),
      "\\midrule",
      ...rows.map(line),
      "\\bottomrule",
      "\\end{tabular}",
    ].join("\n");
  },
};

function say(text) {
  byId("sharing-told").textContent = text;
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    download(new Blob([text], { type: "text/plain" }), `${what.toLowerCase()}.txt`);
  }
}

function download(blob, file) {
  const link = make("a", { href: URL.createObjectURL(blob), download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  say(`${file} saved.`);
}

function menu(label, name, actions) {
  const buttons = Object.entries(actions).map(([format, act]) => {
    const button = make("button", { type: "button", textContent: format });
    button.setAttribute("aria-label", `${format}: ${name}`);
    button.addEventListener("click", act);
    return button;
  });
  const summary = make("summary", { textContent: label });
  summary.setAttribute("aria-label", `${label}: ${name}`);
  return make("details", { className: "share" }, summary, make("span", {}, ...buttons));
}

const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "opacity"];

const LINE = 17; // height of a line of text around a panel
const LETTER = 6.4; // width that a letter of it takes at most, on average

// What the style sheet says is written into each element.
function styledCopy(drawn) {
  const copyOf = drawn.cloneNode(true);
  const from = [drawn, ...drawn.querySelectorAll("*")];
  [copyOf, ...copyOf.querySelectorAll("*")].forEach((element, k) => {
    const style = getComputedStyle(from[k]);
    for (const name of STYLED) element.setAttribute(name, style.getPropertyValue(name));
  });
  return copyOf;
}

function words(like, text, x, y) {
  const element = styledCopy(like);
  element.textContent = text;
  for (const [name, value] of Object.entries({ x, y, "text-anchor": "start" }))
    element.setAttribute(name, value);
  element.removeAttribute("transform");
  return element;
}

// A figure by itself, with what stands around it on the page: the class above, the legend below.
export function asSvg(svg) {
  const copyOf = styledCopy(svg);
  const [left, top, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const like = svg.querySelector("text");
  const figure = svg.closest("figure");
  const items = [...figure.querySelectorAll(".legend li")];
  const texts = items.map((item) => {
    const shown = [item.querySelector("bdi"), item.querySelector(".number")];
    return shown.map((each) => each?.textContent ?? "").join("  ").trim();
  });
  items.forEach((item, k) => {
    const y = top + height + LINE * (k + 1);
    const key = styledCopy(item.querySelector("line"));
    key.setAttribute("transform", `translate(${left + 8} ${y - 10})`);
    copyOf.append(key, words(like, texts[k], left + 42, y));
  });
  const title = figure.querySelector("figcaption").textContent;
  copyOf.append(words(like, title, left + 8, top - 8));
  const letters = Math.max(...[title, ...texts].map((text) => text.length));
  const size = [Math.max(width, Math.ceil(42 + LETTER * letters)), height + LINE * (items.length + 2)];
  copyOf.setAttribute("viewBox", `${left} ${top - LINE - 5} ${size.join(" ")}`);
  ["width", "height"].forEach((name, k) => copyOf.setAttribute(name, size[k]));
  copyOf.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copyOf);
}

const fileName = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase();

function nameOfTable(scroll) {
  const labelled = scroll.getAttribute("aria-labelledby");
  const heading = scroll.closest(".panel-box")?.querySelector("h3");
  return scroll.getAttribute("aria-label") ?? byId(labelled)?.textContent ?? heading?.textContent ?? "Table";
}

function shareTable(scroll) {
  const name = nameOfTable(scroll);
  const act = (format) => () => {
    const table = scroll.querySelector("table");
    if (table) copy(FORMATS[format](rowsOf(table)), format);
  };
  const actions = Object.fromEntries(Object.keys(FORMATS).map((format) => [format, act(format)]));
  scroll.after(menu("Copy table", name, actions));
}

function sharePanel(svg) {
  const name = svg.getAttribute("aria-label");
  const save = () => download(new Blob([asSvg(svg)], { type: "image/svg+xml" }), `${fileName(name)}.svg`);
  svg.after(menu("Save figure", name, { SVG: save }));
}

function shareCanvas(canvas) {
  const name = byId(`${canvas.id}-heading`).textContent;
  const save = () => canvas.toBlob((blob) => download(blob, `${fileName(name)}.png`));
  canvas.parentElement.after(menu("Save figure", name, { PNG: save }));
}

export function startSharing() {
  document.body.append(make("p", { id: "sharing-told", className: "hidden", role: "status" }));
  document.querySelectorAll(".scroll").forEach((scroll) => {
    if (scroll.querySelector("table") && !scroll.closest("#cases")) shareTable(scroll);
  });
  if (byId("cases")) shareTable(byId("cases")); // its table comes and goes
  document.querySelectorAll("svg.panel").forEach(sharePanel);
  document.querySelectorAll("canvas").forEach(shareCanvas);
  const methods = byId("methods");
  if (methods) methods.after(menu("Copy text", "Methods", { Text: () => copy(methods.textContent, "Text") }));
}
