// Operating points in the space of the error rates of three classes, to be turned by hand. The ring
// of each model is where it operates now. Three classes: a sheet of costs that depend on the true
// class only. Otherwise dots, strong where no other dominates them in the rates of the classes; they
// are grey, because classes and models share colours, and so that rings stand out.

import {
  page,
  classes,
  nClasses,
  surfaces,
  models,
  placeOf,
  classWeight,
  errorCells,
} from "./data.js";
import { attributes, sample } from "./sample.js";
import { state, update, onChange } from "./state.js";
import { make, nameOf, byId, selectOf, percent, hint } from "./elements.js";
import { flat, view, projection, path, drawFrame, drawGuessing, drawAxisNames } from "./space.js";
import { sheetTriangles, facing } from "./sheet.js";
import { colours, prepare, drawPoints, mixed } from "./canvas.js";

const RING = 4.5; // its radius in CSS pixels
const OWN_RING = 7; // that of the chosen model
const SAME = 4; // rings whose centres are nearer lie around each other
let canvas;

// Share of the cases of each class on the axes that is misclassified, point by point.
function pointRates(surface) {
  const D = errorCells.length;
  const points = [];
  for (let at = 0; at < surface.costs.length; at += D) {
    const wrong = new Float64Array(nClasses);
    for (let d = 0; d < D; d += 1)
      wrong[Math.floor(errorCells[d] / nClasses)] += surface.tables[at + d];
    points.push(Array.from(wrong, (weight, k) => weight / classWeight[k]));
  }
  return points;
}

const allRates = [];

function ratesOf(model) {
  allRates[model] ??= pointRates(surfaces[model]);
  return allRates[model];
}

// Share of each class that the model misclassifies now; referred cases are not misclassified.
export function currentRates({ table }) {
  return classes.map((_, k) => {
    const row = table.subarray(k * nClasses, (k + 1) * nClasses);
    const wrong = row.reduce((sum, weight, j) => (j === k ? sum : sum + weight), 0);
    return wrong / (sample.classWeight[k] || 1);
  });
}

const triangles = sheetTriangles(page.mesh);

// The farthest triangles first, so that near ones cover them.
function drawSheet({ context }, project, palette) {
  const points = ratesOf(state.model);
  const strong = palette.ofModel(placeOf(state.model));
  const placed = triangles.map((corners) =>
    corners.map((point) => project(state.rateAxes.map((k) => points[point][k]))),
  );
  const depth = (triangle) => triangle[0][2] + triangle[1][2] + triangle[2][2];
  placed.sort((a, b) => depth(b) - depth(a));
  context.strokeStyle = mixed(strong, palette.paper, 0.25);
  context.lineWidth = 0.5;
  for (const triangle of placed) {
    context.beginPath();
    triangle.forEach(([x, y]) => context.lineTo(x, y));
    context.closePath();
    context.fillStyle = mixed(strong, palette.paper, 0.5 + 0.35 * facing(triangle));
    context.fill();
    context.stroke();
  }
  context.lineWidth = 1;
}

function drawDots(frame, project, palette) {
  const surface = surfaces[state.model];
  const points = ratesOf(state.model);
  const kinds = [
    { colour: mixed(palette.muted, palette.paper, 0.75), shape: 0, radius: 0.9 },
    { colour: mixed(palette.muted, palette.paper, 0.4), shape: 0, radius: 1.6 },
  ];
  drawPoints(frame, kinds, (put) => {
    points.forEach((rates, point) => {
      const [x, y] = project(state.rateAxes.map((k) => rates[k]));
      put(x, y, surface.front[point]);
    });
  });
}

// Lines from the place of the chosen model to the floor and to two axes.
function drawPlumb(context, project, [x, y, z]) {
  path(context, project, [
    [x, y, z],
    [x, y, 0],
    [x, 0, 0],
  ]);
  context.stroke();
  path(context, project, [
    [x, y, 0],
    [0, y, 0],
  ]);
  context.stroke();
}

function drawRing(context, { x, y, radius }, ink, width) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.strokeStyle = ink;
  context.lineWidth = width;
  context.stroke();
  context.lineWidth = 1;
}

// The chosen model first; a ring at the place of another lies around it.
function drawPositions({ context }, project, palette) {
  const others = models.map((_, m) => m).filter((m) => m !== state.model);
  const drawn = [];
  for (const m of [state.model, ...others]) {
    const rates = currentRates(state.results[m]);
    const place = state.rateAxes.map((k) => rates[k] ?? 0);
    const [x, y] = project(place);
    const colour = palette.ofModel(placeOf(m));
    const own = m === state.model;
    context.strokeStyle = colour;
    if (own && !flat) drawPlumb(context, project, place);
    const near = drawn.filter((ring) => Math.hypot(ring.x - x, ring.y - y) < SAME);
    const inner = near.reduce((most, ring) => Math.max(most, ring.radius + SAME), 0);
    const radius = Math.max(inner, own ? OWN_RING : RING);
    drawn.push({ x, y, radius, colour, width: own ? 3.5 : 2 });
  }
  // Wider rings of paper below, so that rings stand out from what they cross, each other excepted.
  for (const ring of drawn) drawRing(context, ring, palette.paper, ring.width + 3);
  for (const ring of drawn) drawRing(context, ring, ring.colour, ring.width);
}

function draw() {
  const palette = colours();
  const frame = prepare(canvas, 0.88);
  const project = projection(frame);
  drawFrame(frame, project, palette);
  const drawSurface = page.mesh ? drawSheet : drawDots;
  drawSurface(frame, project, palette);
  drawGuessing(frame, project, palette);
  drawPositions(frame, project, palette);
  drawAxisNames(
    frame,
    project,
    palette,
    state.rateAxes.map((k) => classes[k]),
  );
  const rates = currentRates(state.results[state.model]);
  const told = classes
    .slice(0, 8)
    .map((name, k) => `${name} ${percent(rates[k])}`)
    .join(", ");
  canvas.setAttribute(
    "aria-label",
    `Position on the ROC ${flat ? "curve" : "surface"}. Error rates: ${told}`,
  );
}

function turn(yaw, pitch) {
  const up = Math.max(-1.5, Math.min(1.5, view.pitch + pitch));
  update({ turned: [view.yaw + yaw, up] });
}

function listen() {
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) turn(event.movementX * 0.01, event.movementY * 0.01);
  });
  canvas.addEventListener("keydown", (event) => {
    const change = {
      ArrowLeft: [-0.1, 0],
      ArrowRight: [0.1, 0],
      ArrowUp: [0, -0.1],
      ArrowDown: [0, 0.1],
    }[event.key];
    if (!change) return;
    turn(...change);
    event.preventDefault();
  });
}

// The colours of the rings.
function keyOfRings() {
  const items = models.map((name, m) => {
    const key = make("span", { className: `key ring model-${placeOf(m) % 6}` });
    return make("li", {}, key, nameOf(name));
  });
  return make("ul", { className: "truths" }, ...items);
}

function toldOfFigure() {
  const several = models.length > 1;
  const rings = several
    ? "Rings: where the models operate now, the chosen one thick"
    : "Ring: where the model operates now";
  const parts = [
    "Share of each class that is misclassified, from 0 to 1: the nearer to the corner 0 the better.",
    `${rings}${attributes.length ? ", on the cases in view; the points are of all cases" : ""}.`,
    page.mesh ? "" : `Dots: operating points${several ? " of the chosen model" : ""}.`,
    nClasses <= 3 ? `Dashed: guessing${flat ? "" : ", also where it lies behind the surface"}.` : "",
  ];
  return parts.filter(Boolean).join(" ");
}

export function startSurfaceView() {
  if (!surfaces.length) return;
  canvas = byId("surface-view");
  canvas.removeAttribute("aria-labelledby");
  byId("surface-view-told").append(
    toldOfFigure(),
    flat ? "" : hint(" Drag or use the arrow keys to turn."),
  );
  if (models.length > 1) byId("surface-view-choice").append(keyOfRings());
  if (nClasses > 3) {
    const pick = (axis) => (k) => update({ rateAxes: state.rateAxes.with(axis, k) });
    byId("surface-view-choice").append(
      ...state.rateAxes.map((k, axis) =>
        selectOf(`rate-axis-${axis}`, `Axis ${axis + 1}`, classes, k, pick(axis)),
      ),
    );
  }
  if (!flat) listen();
  // A case under the pointer moves nothing here.
  onChange((changes) => {
    if ("turned" in changes) [view.yaw, view.pitch] = state.turned;
    if ("rateAxes" in changes && nClasses > 3)
      state.rateAxes.forEach((k, axis) => {
        byId(`rate-axis-${axis}`).value = String(k);
      });
    const drawn = ["model", "turned", "rateAxes", "redraw"].some((each) => each in changes);
    if (changes.decided || drawn) draw();
  });
}
