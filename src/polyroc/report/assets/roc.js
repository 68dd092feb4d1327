// ROC curves that answer. Pointing at one tells the rates there; dragging along it, or moving the
// slider below it, sets a threshold of its class, by which the explorer then decides.

import { page, unpack, classes, nClasses } from "./data.js";
import { countedCases } from "./whole.js";
import { sample } from "./sample.js";
import { state, update, onChange } from "./state.js";
import { wilson } from "./certainty.js";
import { make, byId, shareText, thresholdText, spoken } from "./elements.js";

const [LEFT, BOTTOM, SIDE] = [28, 212, 206]; // where a panel has its frame
const STEPS = 65_535; // of a rate
const REACH = 16; // units of the panel from which a curve answers to the pointer

const placeOf = (x, y) => [LEFT + SIDE * x, BOTTOM - SIDE * y];

// "its probability is at least 0.37"
export const cutText = ({ t }) =>
  Number.isFinite(t) ? `its probability is at least ${thresholdText(t)}` : "its probability is above 1";

function unpacked({ place, rates, thresholds, counts }) {
  const [x, y] = rates.map((each) => Float64Array.from(unpack(each), (rate) => rate / STEPS));
  const each = counts.map((count) => {
    if (typeof count === "number") return () => count;
    const known = unpack(count);
    return (at) => known[at];
  });
  return { place, x, y, thresholds: thresholds && unpack(thresholds), counts: each };
}

function drawn(tag, attributes, parent) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

// A cross as long as the intervals of both rates, and a ring; a diamond for the explorer.
function marks(svg) {
  const decided = drawn("path", { d: "M0-5.5L5.5 0 0 5.5-5.5 0Z", visibility: "hidden" }, svg);
  const point = drawn("g", { class: "point", visibility: "hidden" }, svg);
  return {
    decided,
    point,
    across: drawn("line", {}, point),
    upright: drawn("line", {}, point),
    ring: drawn("circle", { r: 4.5 }, point),
  };
}

function rateText(rate, count) {
  const [low, high] = wilson(rate, count, page.quantile);
  return { low, high, text: `${shareText(rate)} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})` };
}

// What is known of one point of a curve.
function pointOf(panel, m, at) {
  const { x, y, thresholds, counts, place } = panel.curves[m];
  const [fpr, tpr] = [rateText(x[at], counts[0](at)), rateText(y[at], counts[1](at))];
  const rates = `false positive rate ${fpr.text}, true positive rate ${tpr.text}`;
  const word = place < 0 ? "score" : "probability";
  const t = thresholds?.[at];
  const from = !thresholds ? "" : Number.isFinite(t) ? `${word} ≥ ${thresholdText(t)}: ` : "nobody: ";
  return { x: x[at], y: y[at], fpr, tpr, text: `${page.curves.names[m]}, ${from}${rates}.` };
}

function showPoint(panel, m, at) {
  const { point, across, upright, ring } = panel.marks;
  const { x, y, fpr, tpr, text } = pointOf(panel, m, at);
  const set = (element, values) =>
    Object.entries(values).forEach(([key, value]) => element.setAttribute(key, value));
  const [left, low] = placeOf(fpr.low, tpr.low);
  const [right, high] = placeOf(fpr.high, tpr.high);
  const [cx, cy] = placeOf(x, y);
  set(across, { x1: left, x2: right, y1: cy, y2: cy });
  set(upright, { x1: cx, x2: cx, y1: low, y2: high });
  set(ring, { cx, cy });
  set(point, { visibility: "visible", class: `point model-${m % 6}` });
  panel.told.textContent = text;
}

// Rates of the explorer's decisions for a class among the cases in view, if there are any.
function decidedRates(k) {
  const { table } = state.results[state.model];
  let wrong = 0;
  for (let truth = 0; truth < nClasses; truth += 1)
    if (truth !== k) wrong += table[truth * nClasses + k];
  const own = sample.classWeight[k];
  return [wrong / (sample.totalWeight - own), table[k * nClasses + k] / own];
}

const amongText = () => (countedCases() ? `, among ${countedCases()}` : "");

const curveOf = (panel) => panel.curves.findIndex(({ place }) => place === state.model);

// The last point with a threshold that is not below t.
function placeOfCut({ thresholds }, t) {
  let at = 0;
  while (at + 1 < thresholds.length && thresholds[at + 1] >= t) at += 1;
  return at;
}

function nearest(panel, x, y, only = null) {
  let [found, least] = [null, Infinity];
  panel.curves.forEach((curve, m) => {
    if (only !== null && m !== only) return;
    for (let at = 0; at < curve.x.length; at += 1) {
      const apart = Math.hypot(SIDE * (curve.x[at] - x), SIDE * (curve.y[at] - y));
      if (apart < least) [found, least] = [{ m, at }, apart];
    }
  });
  return least <= REACH || only !== null ? found : null;
}

// Where nobody points: the threshold that decides, or the decisions of the explorer.
function rest(panel) {
  const { decided, point } = panel.marks;
  const m = state.results.length ? curveOf(panel) : -1;
  if (m < 0) {
    if (panel.moved) showPoint(panel, panel.moved.m, panel.moved.at);
    else point.setAttribute("visibility", "hidden");
    decided.setAttribute("visibility", "hidden");
    return;
  }
  const [x, y] = decidedRates(panel.k);
  const known = Number.isFinite(x) && Number.isFinite(y);
  decided.setAttribute("visibility", known ? "visible" : "hidden");
  if (known) decided.setAttribute("transform", `translate(${placeOf(x, y).join(" ")})`);
  decided.setAttribute("class", `decided model-${m % 6}`);
  const own = state.cut?.k === panel.k;
  const at = own ? placeOfCut(panel.curves[m], state.cut.t) : nearest(panel, x, y, m)?.at ?? 0;
  if (own) showPoint(panel, m, at);
  else {
    point.setAttribute("visibility", "hidden");
    panel.told.textContent = known
      ? `${page.curves.names[m]}, as the explorer decides: false positive rate ${shareText(x)}, true positive rate ${shareText(y)}${amongText()}.`
      : "There are no such cases in view.";
  }
  showSlider(panel, m, at);
}

function showSlider(panel, m, at) {
  panel.slider.max = String(panel.curves[m].x.length - 1);
  panel.slider.value = String(at);
  panel.slider.setAttribute("aria-valuetext", panel.told.textContent);
}

// A point was chosen: of a model with probabilities it decides, of others it is shown.
function choose(panel, m, at) {
  const { place, thresholds } = panel.curves[m];
  panel.moved = { m, at };
  if (place < 0) {
    showPoint(panel, m, at);
    showSlider(panel, m, at);
    return;
  }
  if (place !== state.model) byId("model").value = String(place);
  update({ model: place, cut: { k: panel.k, t: thresholds[at] }, focused: -1 });
}

function pointer(panel) {
  const { svg } = panel;
  let dragged = null;
  const under = (event) => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      svg.getScreenCTM().inverse(),
    );
    return [(x - LEFT) / SIDE, (BOTTOM - y) / SIDE];
  };
  svg.addEventListener("pointerdown", (event) => {
    const found = nearest(panel, ...under(event));
    if (!found || event.button) return;
    dragged = found.m;
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
    choose(panel, found.m, found.at);
  });
  svg.addEventListener("pointermove", (event) => {
    const found = nearest(panel, ...under(event), dragged);
    if (dragged === null) found ? showPoint(panel, found.m, found.at) : rest(panel);
    else if (found.at !== panel.moved.at) choose(panel, found.m, found.at);
  });
  const end = () => {
    dragged = null;
    rest(panel);
  };
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) svg.addEventListener(kind, end);
}

function slider(panel) {
  const id = `roc-${panel.k}`;
  const label = make("label", { htmlFor: id, textContent: "Threshold" });
  label.append(make("span", { className: "hidden", textContent: ` of ${spoken(classes[panel.k])}` }));
  panel.slider = make("input", { type: "range", id, min: "0", step: "1" });
  panel.told = make("p", { className: "muted" });
  panel.slider.addEventListener("input", () => {
    const own = state.results.length ? curveOf(panel) : -1;
    choose(panel, own >= 0 ? own : (panel.moved?.m ?? 0), Number(panel.slider.value));
  });
  panel.figure.append(make("div", { className: "along" }, label, panel.slider), panel.told);
}

function startPanel({ k, curves }) {
  const figure = document.querySelector(`.roc[data-class="${k}"]`);
  const svg = figure.querySelector("svg.panel");
  const panel = { k, figure, svg, curves: curves.map(unpacked), marks: marks(svg), moved: null };
  slider(panel);
  pointer(panel);
  showSlider(panel, 0, 0);
  return panel;
}

// In the explorer: what decides, and the way back.
function notice() {
  const told = make("span");
  const back = make("button", { type: "button", id: "uncut", textContent: "Back to costs" });
  back.addEventListener("click", () => {
    update({ cut: null });
    byId("cost-controls").querySelector("input, select").focus(); // the button is gone
  });
  const box = make("p", { id: "cut", hidden: true }, told, " ", back);
  byId("cost-controls").before(box);
  return () => {
    box.hidden = state.cut === null;
    if (state.cut)
      told.textContent = `A point of a ROC curve decides: cases are classified as ${spoken(classes[state.cut.k])} where ${cutText(state.cut)}, the others by the costs.`;
  };
}

export function startRoc() {
  const panels = page.curves.panels.map(startPanel);
  const tell = byId("cost-controls") ? notice() : () => {};
  onChange((changes) => {
    if (!changes.decided && !("model" in changes)) return;
    tell();
    panels.forEach(rest);
  });
}
