// Operating points in the space of the error rates of three classes, to be turned by hand. The ring
// of each model is where it operates now. Three classes: a sheet of costs that depend on the true
// class only. Otherwise dots, strong where no other dominates them in the rates of the classes.

import { page, classes, nClasses, surfaces, models, classWeight, errorCells } from "./data.js";
import { attributes, sample } from "./sample.js";
import { state, onChange } from "./state.js";
import { byId, selectOf, percent } from "./elements.js";
import { flat, view, projection, path, drawFrame, drawAxisNames } from "./space.js";
import { sheetTriangles, facing } from "./sheet.js";
import { colours, prepare, drawPoints, mixed } from "./canvas.js";

let canvas;
let axes = [0, 1, 2];

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
  const strong = palette.ofModel(state.model);
  const placed = triangles.map((corners) =>
    corners.map((point) => project(axes.map((k) => points[point][k]))),
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
  const strong = palette.ofModel(state.model);
  const kinds = [
    { colour: mixed(strong, palette.paper, 0.7), shape: 0, radius: 0.9 },
    { colour: strong, shape: 0, radius: 2.2 },
  ];
  drawPoints(frame, kinds, (put) => {
    points.forEach((rates, point) => {
      const [x, y] = project(axes.map((k) => rates[k]));
      put(x, y, surface.front[point]);
    });
  });
}

function drawPosition({ context }, project, palette, model) {
  const own = model === state.model;
  const rates = currentRates(state.results[model]);
  const place = axes.map((k) => rates[k] ?? 0);
  const [x, y] = project(place);
  context.strokeStyle = palette.ofModel(model);
  if (own && !flat) {
    path(context, project, [place, [place[0], place[1], 0], [place[0], 0, 0]]);
    context.stroke();
    path(context, project, [
      [place[0], place[1], 0],
      [0, place[1], 0],
    ]);
    context.stroke();
  }
  context.beginPath();
  context.arc(x, y, own ? 7 : 4.5, 0, 2 * Math.PI);
  context.fillStyle = palette.paper;
  context.fill();
  context.lineWidth = own ? 3.5 : 2;
  context.stroke();
  context.lineWidth = 1;
}

function draw() {
  const palette = colours();
  const frame = prepare(canvas, 0.88);
  const project = projection(frame);
  drawFrame(frame, project, palette);
  const drawSurface = page.mesh ? drawSheet : drawDots;
  drawSurface(frame, project, palette);
  models.forEach((_, m) => {
    if (m !== state.model) drawPosition(frame, project, palette, m);
  });
  drawPosition(frame, project, palette, state.model);
  drawAxisNames(
    frame,
    project,
    palette,
    axes.map((k) => classes[k]),
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
  view.yaw += yaw;
  view.pitch = Math.max(-1.5, Math.min(1.5, view.pitch + pitch));
  draw();
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

export function startSurfaceView() {
  if (!surfaces.length) return;
  canvas = byId("surface-view");
  canvas.removeAttribute("aria-labelledby");
  const dashed = nClasses <= 3 ? " Dashed: guessing." : "";
  byId("surface-view-told").textContent =
    `Share of each class that is misclassified, from 0 to 1: the nearer to the corner 0 the better. Rings: where the models operate now${attributes.length ? ", on the cases in view; the points are of all cases" : ""}.${dashed}${flat ? "" : " Drag or use the arrow keys to turn."}`;
  if (nClasses > 3) {
    const pick = (axis) => (k) => {
      axes = axes.with(axis, k);
      draw();
    };
    byId("surface-view-choice").append(
      ...axes.map((k, axis) =>
        selectOf(`rate-axis-${axis}`, `Axis ${axis + 1}`, classes, k, pick(axis)),
      ),
    );
  }
  if (!flat) listen();
  // A case under the pointer moves nothing here.
  onChange((changes) => {
    if (changes.decided || "model" in changes || changes.redraw) draw();
  });
}
