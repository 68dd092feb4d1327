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
const latex = (text) =>
  text
    .replace(/[\\~^]|[&%$#_{}]/g, (each) => ESCAPED[each] ?? `\\${each}`)
    .replaceAll("\u00a0", "~")
    .replaceAll("−", "$-$")
    .replaceAll("≤", "$\\le$")
    .replace(/[<>]/g, "$$$&$$");

export const FORMATS = {
  CSV: (rows) => rows.map((row) => row.map(quoted).join(",")).join("\n"),
  Markdown: ([head, ...rows]) => {
    const line = (row) => `| ${row.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
    return [line(head), line(head.map((_, k) => (k ? "---:" : "---"))), ...rows.map(line)].join("\n");
  },
  LaTeX: ([head, ...rows]) => {
    const line = (row) => `${row.map(latex).join(" & ")} \\\\`;
    const columns = `l${"r".repeat(head.length - 1)}`;
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

// A figure by itself: what the style sheet says is written into each element.
export function asSvg(svg) {
  const copyOf = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")];
  [copyOf, ...copyOf.querySelectorAll("*")].forEach((element, k) => {
    const style = getComputedStyle(from[k]);
    for (const name of STYLED) element.setAttribute(name, style.getPropertyValue(name));
  });
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
