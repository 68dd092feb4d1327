// The space of error rates: a cube seen from any side, or a square for two classes.

import { nClasses } from "./data.js";
import { fitted } from "./canvas.js";

export const flat = nClasses === 2;

// The angles from which the cube is seen.
export const view = { yaw: 0, pitch: 0 };

export function projection({ width, height }) {
  if (flat) {
    const size = Math.min(width, height) - 70;
    return (p) => [46 + p[0] * size, height - 40 - p[1] * size, 0];
  }
  const size = Math.min(width, height) * 0.56;
  const [cosY, sinY] = [Math.cos(view.yaw), Math.sin(view.yaw)];
  const [cosP, sinP] = [Math.cos(view.pitch), Math.sin(view.pitch)];
  return (p) => {
    const [x, y, z] = [p[0] - 0.5, p[1] - 0.5, p[2] - 0.5];
    const across = x * cosY - y * sinY;
    const away = x * sinY + y * cosY;
    return [
      width / 2 + across * size,
      height / 2 - (z * cosP - away * sinP) * size,
      away * cosP + z * sinP,
    ];
  };
}

export function path(context, project, points) {
  context.beginPath();
  points.forEach((p) => context.lineTo(...project(p).slice(0, 2)));
}

const CUBE = [];
for (const a of [0, 1]) {
  for (const b of [0, 1]) {
    CUBE.push(
      [
        [a, b, 0],
        [a, b, 1],
      ],
      [
        [a, 0, b],
        [a, 1, b],
      ],
      [
        [0, a, b],
        [1, a, b],
      ],
    );
  }
}

export function drawFrame({ context }, project, palette) {
  context.strokeStyle = palette.rule;
  const edges = flat
    ? [
        [
          [0, 0, 0],
          [1, 0, 0],
        ],
        [
          [0, 0, 0],
          [0, 1, 0],
        ],
        [
          [1, 0, 0],
          [1, 1, 0],
        ],
        [
          [0, 1, 0],
          [1, 1, 0],
        ],
      ]
    : CUBE;
  for (const edge of edges) {
    path(context, project, edge);
    context.stroke();
  }
}

// Guessing: the errors of K classes sum to K − 1. Drawn over the surface, behind which it lies.
export function drawGuessing({ context }, project, palette) {
  if (nClasses > 3) return;
  const chance = flat
    ? [
        [1, 0, 0],
        [0, 1, 0],
      ]
    : [
        [1, 1, 0],
        [1, 0, 1],
        [0, 1, 1],
      ];
  path(context, project, chance);
  context.closePath();
  context.setLineDash([4, 4]);
  context.strokeStyle = palette.muted;
  context.stroke();
  context.setLineDash([]);
}

export function drawAxisNames({ context, width }, project, palette, names) {
  const ends = flat
    ? [
        [0.5, -0.09, 0],
        [0, 1.04, 0],
      ]
    : [
        [1.12, 0, 0],
        [0, 1.12, 0],
        [0, 0, 1.1],
      ];
  context.font = "12px system-ui, sans-serif";
  context.fillStyle = palette.ink;
  ends.forEach((end, axis) => {
    const text = fitted(context, `${flat ? "errors on " : ""}${names[axis]}`, width * 0.4);
    const half = context.measureText(text).width / 2;
    const [x, y] = project(end);
    const across =
      flat && axis === 1
        ? Math.max(x, half + 2)
        : Math.max(half + 2, Math.min(width - half - 2, x));
    context.textAlign = "center";
    context.strokeStyle = palette.panel; // dots may lie behind a name
    context.lineWidth = 4;
    context.strokeText(text, across, y + 4);
    context.lineWidth = 1;
    context.fillText(text, across, y + 4);
  });
  context.fillStyle = palette.muted;
  const [x, y] = project([0, 0, 0]);
  context.fillText("0", x - 9, y + (flat ? 14 : 4));
  if (!flat) return;
  context.fillText("1", project([1, 0, 0])[0], y + 14);
  context.fillText("1", x - 9, project([0, 1, 0])[1] + 9);
}
