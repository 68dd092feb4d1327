// The cases by their probabilities. Three classes: a triangle whose corners are the classes, with
// the regions of the decisions. Two: a line. More: two probabilities against each other.

import { classes, nClasses, nCases, codes, scores, held } from "./data.js";
import { sample } from "./sample.js";
import { cellOf, ruleOf } from "./decide.js";
import { state, setting, update, onChange } from "./state.js";
import { make, nameOf, byId, short, selectOf, hint } from "./elements.js";
import { casesOf, describe } from "./case_list.js";
import { region, stretch } from "./regions.js";
import { colours, prepare, drawPoints, fitted, mixed, N_SHAPES } from "./canvas.js";
import { MANY, countSquares, drawSquares } from "./density.js";

const EDGE = 30;
const ELSEWHERE = ["turned", "rateAxes", "sorted", "search", "decided"]; // changes that move no case
const REACH = 10; // pixels from which a case answers to the pointer
let canvas;
let longest = 1; // of the two axes: among many classes probabilities are small
const xs = new Float32Array(nCases);
const ys = new Float32Array(nCases);

function corners(width, height) {
  return [
    [EDGE, height - EDGE],
    [width - EDGE, height - EDGE],
    [width / 2, EDGE],
  ];
}

// A fixed shuffle of the cases over the height, so that equal probabilities do not hide each other.
const jitter = (i) => (((i * 2654435761) >>> 8) % 1000) / 1000;

function placeCases(width, height) {
  const table = scores[state.model];
  const { axes } = state;
  longest = 0;
  for (let at = 0; at < table.length; at += nClasses) {
    longest = Math.max(longest, table[at + axes[0]], table[at + axes[1]]);
  }
  longest ||= 1;
  const points = corners(width, height);
  for (let i = 0; i < nCases; i += 1) {
    const at = i * nClasses;
    if (nClasses === 3) {
      xs[i] =
        table[at] * points[0][0] + table[at + 1] * points[1][0] + table[at + 2] * points[2][0];
      ys[i] =
        table[at] * points[0][1] + table[at + 1] * points[1][1] + table[at + 2] * points[2][1];
    } else if (nClasses === 2) {
      xs[i] = EDGE + table[at + 1] * (width - 2 * EDGE);
      ys[i] = EDGE + ((codes[i] ? 0 : 1) + 0.08 + 0.84 * jitter(i)) * (height / 2 - EDGE);
    } else {
      xs[i] = EDGE + (table[at + axes[0]] / longest) * (width - 2 * EDGE);
      ys[i] = height - EDGE - (table[at + axes[1]] / longest) * (height - 2 * EDGE);
    }
  }
}

// Of more classes than a legend can name, only the two of the axes have a colour and a shape; squares
// have no shape, and there are six colours.
const FEW = nCases < MANY ? 12 : 6;
const AXES = 2;
const SQUARE = 1; // among the shapes
const kindsOfTruth = nClasses > FEW ? AXES + 1 : nClasses;
function kindOfTruth(k) {
  if (nClasses <= FEW) return k;
  const axis = state.axes.indexOf(k);
  return axis < 0 ? AXES : axis;
}
const colourOf = (palette, kind) =>
  nClasses > FEW && kind === AXES ? palette.muted : palette.ofClass(kind);

// The cases in view, what is drawn first first: grey ones do not cover those that have a colour.
function layersOf() {
  if (nClasses <= FEW) return [sample.rows];
  const grey = (i) => kindOfTruth(codes[i]) === AXES;
  return [sample.rows.filter(grey), sample.rows.filter((i) => !grey(i))];
}

function tint(palette, j) {
  return mixed(j < nClasses ? palette.ofClass(j) : palette.muted, palette.paper, 0.8);
}

function drawTriangle({ context, width, height }, palette) {
  const points = corners(width, height);
  const place = (p) =>
    [0, 1].map((axis) => p[0] * points[0][axis] + p[1] * points[1][axis] + p[2] * points[2][axis]);
  const rule = ruleOf(setting());
  for (let j = 0; j < rule.n; j += 1) {
    const polygon = region(rule, j);
    if (polygon.length < 3) continue;
    context.beginPath();
    polygon.forEach((p) => context.lineTo(...place(p)));
    context.closePath();
    context.fillStyle = tint(palette, j);
    context.fill();
  }
  context.beginPath();
  points.forEach((point) => context.lineTo(...point));
  context.closePath();
  context.strokeStyle = palette.muted;
  context.stroke();
}

function drawLine({ context, width, height }, palette) {
  const rule = ruleOf(setting());
  const reach = width - 2 * EDGE;
  for (let j = 0; j < rule.n; j += 1) {
    const [from, to] = stretch(rule, j);
    context.fillStyle = tint(palette, j);
    context.fillRect(EDGE + from * reach, EDGE, (to - from) * reach, height - 2 * EDGE);
  }
}

function drawLabels({ context, width, height }, palette) {
  context.font = "13px system-ui, sans-serif";
  context.fillStyle = palette.ink;
  const room = width - EDGE - 4;
  const write = (text, x, y, align, room) => {
    context.textAlign = align;
    context.fillText(fitted(context, text, room), x, y);
  };
  const longestOf = (texts) =>
    texts.find((text) => context.measureText(text).width <= room) ?? texts.at(-1);
  if (nClasses === 3) {
    write(classes[0], 4, height - 9, "left", width / 2 - 10);
    write(classes[1], width - 4, height - 9, "right", width / 2 - 10);
    write(classes[2], width / 2, EDGE - 10, "center", width - 20);
    return;
  }
  if (nClasses === 2) {
    const [own, range] = [classes[1], "0 to 1 →"];
    const across = [`probability of ${own}, ${range}`, `p(${own}), ${range}`, `p(${own}) →`];
    write(longestOf(across), width - EDGE, height - 9, "right", room);
    write(`truth: ${classes[1]} above, ${classes[0]} below`, EDGE, EDGE - 10, "left", room);
    return;
  }
  const [across, upward] = state.axes.map((k) => {
    const range = `0 to ${short(longest)}`;
    return [`probability of ${classes[k]}, ${range}`, `p(${classes[k]}), ${range}`, `p(${classes[k]})`];
  });
  write(longestOf(across.map((text) => `${text} →`)), width - EDGE, height - 9, "right", room);
  write(longestOf(upward.map((text) => `↑ ${text}`)), EDGE, EDGE - 10, "left", room);
}

const misclassified = (decided) => (i) => decided[i] !== codes[i] && decided[i] < nClasses;

// Of each colour, cases that are correct (or not chosen), and those that are not.
function drawMany(frame, palette) {
  const { decided } = state.results[state.model];
  const cell = state.selected;
  const strong =
    cell === null ? misclassified(decided) : (i) => cellOf(codes[i], decided[i]) === cell;
  const n = Math.min(kindsOfTruth, 6);
  const kindOf = (i) => (kindOfTruth(codes[i]) % n) + (strong(i) ? n : 0);
  const own = Array.from({ length: n }, (_, k) => colourOf(palette, k));
  const inks = [
    ...own.map((colour) => mixed(colour, palette.paper, 0.55)),
    ...own.map((colour) => mixed(colour, palette.ink, 0.12)),
  ];
  const layers = layersOf().map((rows) => countSquares(frame, rows, xs, ys, 2 * n, kindOf));
  drawSquares(frame, layers, inks);
}

function drawCases(frame, palette) {
  const { decided } = state.results[state.model];
  const kinds = [];
  for (let k = 0; k < kindsOfTruth; k += 1) {
    const shape = k % N_SHAPES;
    const colour = colourOf(palette, k);
    kinds.push({ colour: mixed(colour, palette.paper, 0.55), shape, radius: 1.6 });
    kinds.push({ colour: mixed(colour, palette.ink, 0.12), shape, radius: 2.3 });
    kinds.push({ colour: palette.paper, shape, radius: 5.2 }, { colour, shape, radius: 4 });
  }
  const cell = state.selected;
  drawPoints(frame, kinds, (put) => {
    const wrong = misclassified(decided);
    for (const rows of layersOf()) {
      for (const i of rows) if (!wrong(i)) put(xs[i], ys[i], kindOfTruth(codes[i]) * 4);
      for (const i of rows) {
        if (wrong(i)) put(xs[i], ys[i], kindOfTruth(codes[i]) * 4 + (cell === null ? 1 : 0));
      }
    }
    if (cell === null) return;
    for (const i of casesOf(cell)) {
      put(xs[i], ys[i], kindOfTruth(codes[i]) * 4 + 2);
      put(xs[i], ys[i], kindOfTruth(codes[i]) * 4 + 3);
    }
  });
}

function draw() {
  const palette = colours();
  const frame = prepare(canvas, nClasses === 3 ? 0.88 : nClasses === 2 ? 0.6 : 0.9);
  placeCases(frame.width, frame.height);
  if (nClasses === 3) drawTriangle(frame, palette);
  else if (nClasses === 2) drawLine(frame, palette);
  else {
    frame.context.strokeStyle = palette.rule;
    frame.context.strokeRect(EDGE, EDGE, frame.width - 2 * EDGE, frame.height - 2 * EDGE);
  }
  (sample.rows.length < MANY ? drawCases : drawMany)(frame, palette);
  drawLabels(frame, palette);
  drawFocus(frame, palette);
}

function drawFocus({ context, width }, palette) {
  const tip = canvas.nextElementSibling;
  const i = state.focused;
  tip.hidden = i < 0;
  if (i < 0) return;
  context.beginPath();
  context.arc(xs[i], ys[i], 7, 0, 2 * Math.PI);
  context.lineWidth = 2;
  context.strokeStyle = palette.ink;
  context.stroke();
  context.lineWidth = 1;
  tip.textContent = describe(i);
  tip.style.left = `${Math.max(0, Math.min(xs[i] + 10, width - 230))}px`;
  tip.style.top = `${ys[i] + 12}px`;
}

function nearest(x, y) {
  let [found, least] = [-1, REACH * REACH];
  for (const i of sample.rows) {
    const apart = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
    if (apart < least) [found, least] = [i, apart];
  }
  return found;
}

// Keys go through the cases of the chosen cell, or through all that are misclassified.
function step(direction) {
  const { decided } = state.results[state.model];
  const found =
    state.selected === null
      ? Array.from(sample.rows).filter(misclassified(decided))
      : casesOf(state.selected);
  if (!found.length) return;
  const at = found.indexOf(state.focused);
  const next =
    at < 0
      ? direction > 0
        ? 0
        : found.length - 1
      : (at + direction + found.length) % found.length;
  update({ focused: found[next], spoken: describe(found[next]) });
}

function listen() {
  canvas.addEventListener("pointermove", (event) => {
    const found = nearest(event.offsetX, event.offsetY);
    if (found !== state.focused) update({ focused: found });
  });
  canvas.addEventListener("pointerleave", () => update({ focused: -1 }));
  canvas.addEventListener("blur", () => update({ focused: -1 }));
  canvas.addEventListener("keydown", (event) => {
    const direction = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (direction) step(direction);
    else if (event.key === "Escape") update({ focused: -1 });
    else return;
    event.preventDefault();
  });
}

// Colours and shapes of the true classes.
function legend() {
  const chosen = nClasses > FEW ? [...new Set(state.axes)] : classes.keys();
  const shapeOf = (kind) => (sample.rows.length < MANY ? kind % N_SHAPES : SQUARE);
  const items = Array.from(chosen, (k) => {
    const kind = kindOfTruth(k);
    const key = make("span", { className: `key class-${kind % 6} shape-${shapeOf(kind)}` });
    return make("li", {}, key, nameOf(classes[k]));
  });
  if (nClasses > FEW) {
    const key = make("span", { className: `key muted shape-${shapeOf(AXES)}` });
    items.push(make("li", {}, key, "every other class"));
  }
  return items;
}

export function startSimplex() {
  canvas = byId("simplex");
  const truths = make("ul", { className: "truths" }, ...legend());
  byId("simplex-choice").append(truths);
  const explain = () => {
    const tints = setting().refer === null ? " Tint: decision." : " Tint: decision, grey: referred.";
    const above = nClasses > FEW ? " Squares of the two classes lie on those of the others." : "";
    const squares = `Colour: truth. The more cases a square has, the larger it is; each class takes up its share of it.${above}`;
    const single = "Colour and shape: truth.";
    const which = held && !state.slice ? ` Shown are ${held}.` : "";
    const strong = state.selected === null ? "misclassified" : "the cases of the selected cell";
    truths.replaceChildren(...legend());
    byId("simplex-told").replaceChildren(
      `${sample.rows.length < MANY ? single : squares}${nClasses <= 3 ? tints : ""} Strong: ${strong}.${which}`,
      hint(" Point at a case to see its row, or use the arrow keys."),
    );
  };
  if (nClasses > 3) {
    const pick = (axis) => (k) => update({ axes: state.axes.with(axis, k) });
    byId("simplex-choice").append(
      selectOf("across", "Across", classes, state.axes[0], pick(0)),
      selectOf("upward", "Upward", classes, state.axes[1], pick(1)),
    );
  }
  listen();
  onChange((changes) => {
    if (!changes.decided && Object.keys(changes).every((key) => ELSEWHERE.includes(key))) return;
    if (changes.decided || "selected" in changes) explain();
    if ("axes" in changes && nClasses > 3) {
      truths.replaceChildren(...legend());
      ["across", "upward"].forEach((id, axis) => {
        byId(id).value = String(state.axes[axis]);
      });
    }
    draw();
  });
}
