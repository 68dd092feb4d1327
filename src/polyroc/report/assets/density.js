// Many cases would cover each other, and those drawn last would seem to be all there are. So they
// are counted in squares: a square is the larger the more cases it has, on a logarithmic scale, and
// its pixels are shared out among kinds of cases as its cases are.

import { packColour } from "./canvas.js";

export const MANY = 3000; // cases from which squares are drawn
const SIDE = 6; // of a square in CSS pixels
const LEAST = 3; // of the side that one case fills

// Cases of each kind in each square: `kindOf` gives the kind of a case, of `n` kinds.
export function countSquares({ width, height }, rows, xs, ys, n, kindOf) {
  const across = Math.ceil(width / SIDE);
  const counts = new Uint32Array(across * Math.ceil(height / SIDE) * n);
  for (let at = 0; at < rows.length; at += 1) {
    const i = rows[at];
    const square = Math.floor(ys[i] / SIDE) * across + Math.floor(xs[i] / SIDE);
    counts[square * n + kindOf(i)] += 1;
  }
  return { across, counts, n };
}

// How many of `pixels` each kind gets: each running sum is rounded, so that they add up.
export function sharedOut(counts, pixels) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let [running, given] = [0, 0];
  return Array.from(counts, (count) => {
    running += count;
    const upTo = Math.round((pixels * running) / total);
    const own = upTo - given;
    given = upTo;
    return own;
  });
}

// The side of the square of so many cases, in pixels of the screen.
function sideOf(count, most, scale) {
  const share = most > 1 ? Math.log(count) / Math.log(most) : 1;
  return Math.round(scale * (LEAST + (SIDE - LEAST) * share));
}

function totalsOf({ counts, n }) {
  const totals = new Uint32Array(counts.length / n);
  for (let at = 0; at < counts.length; at += 1) totals[Math.floor(at / n)] += counts[at];
  return totals;
}

// Layers of squares on one scale, the later over the earlier.
export function drawSquares(frame, layers, colours) {
  const totals = layers.map(totalsOf);
  const most = totals.flatMap((each) => each.reduce((a, b) => Math.max(a, b), 0));
  const inks = colours.map(packColour);
  layers.forEach((layer, at) => drawLayer(frame, layer, totals[at], inks, Math.max(...most)));
}

function drawLayer({ context, scale }, { across, counts, n }, totals, inks, most) {
  const { width, height } = context.canvas;
  const image = context.getImageData(0, 0, width, height);
  const pixels = new Uint32Array(image.data.buffer);
  totals.forEach((total, square) => {
    if (!total) return;
    const side = sideOf(total, most, scale);
    const corner = (place) => Math.round((place + 0.5) * SIDE * scale - side / 2);
    const [left, top] = [corner(square % across), corner(Math.floor(square / across))];
    const shares = sharedOut(counts.subarray(square * n, (square + 1) * n), side * side);
    let at = 0;
    shares.forEach((share, kind) => {
      for (const end = at + share; at < end; at += 1) {
        const [x, y] = [left + (at % side), top + Math.floor(at / side)];
        if (x >= 0 && x < width && y >= 0 && y < height) pixels[y * width + x] = inks[kind];
      }
    });
  });
  context.putImageData(image, 0, 0);
}
