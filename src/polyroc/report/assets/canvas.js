// What both pictures share: a sharp canvas, colours of the style sheet, and points through
// ImageData, because tens of thousands of arcs would take longer than a frame.

const PALETTE = 6;

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    ink: get("--ink"),
    muted: get("--muted"),
    rule: get("--rule"),
    paper: get("--paper"),
    panel: get("--panel"),
    ofClass: (k) => get(`--class-${k % PALETTE}`),
    ofModel: (m) => get(`--model-${m % PALETTE}`),
  };
}

// "#rrggbb" as the 32 bits that ImageData holds in little-endian order.
export function packColour(text) {
  const value = Number.parseInt(text.slice(1), 16);
  return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

// Fits the canvas to its box; returns a context in CSS pixels, and the size.
export function prepare(canvas, ratio) {
  const width = Math.max(240, Math.min(canvas.parentElement.clientWidth, 520));
  const height = Math.round(width * ratio);
  const onPaper = matchMedia("print").matches; // printers have more dots than screens
  const scale = onPaper ? 3 : Math.min(2, window.devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height, scale };
}

// Small shapes, so that classes differ in more than colour: disc, square, diamond, cross, triangle.
// Their number and that of the colours have no divisor in common: thirty classes look different.
const SHAPES = [
  (x, y, r) => x * x + y * y <= r * r + 0.5,
  (x, y, r) => Math.max(Math.abs(x), Math.abs(y)) <= r * 0.85,
  (x, y, r) => Math.abs(x) + Math.abs(y) <= r * 1.25,
  (x, y, r) =>
    Math.min(Math.abs(x), Math.abs(y)) <= r * 0.3 && Math.max(Math.abs(x), Math.abs(y)) <= r,
  (x, y, r) => y <= r * 0.9 && Math.abs(x) * 1.6 <= y + r * 1.3,
];
export const N_SHAPES = SHAPES.length;

function stamp(shape, radius) {
  const offsets = [];
  const reach = Math.ceil(radius * 1.3);
  for (let y = -reach; y <= reach; y += 1) {
    for (let x = -reach; x <= reach; x += 1) {
      if (SHAPES[shape % SHAPES.length](x, y, radius)) offsets.push([x, y]);
    }
  }
  return offsets;
}

// Draws over what is there. `points` calls back with (x, y, kind) in CSS pixels; kinds are
// { colour, shape, radius }.
export function drawPoints({ context, scale }, kinds, points) {
  const { width, height } = context.canvas;
  const image = context.getImageData(0, 0, width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const stamps = kinds.map(({ shape, radius }) => stamp(shape, radius * scale));
  const inks = kinds.map(({ colour }) => packColour(colour));
  points((x, y, kind) => {
    const [left, top] = [Math.round(x * scale), Math.round(y * scale)];
    for (const [dx, dy] of stamps[kind]) {
      const [px, py] = [left + dx, top + dy];
      if (px >= 0 && px < width && py >= 0 && py < height) pixels[py * width + px] = inks[kind];
    }
  });
  context.putImageData(image, 0, 0);
}

// A name cut to a width, for labels in a picture.
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let short = [...text];
  while (short.length > 1 && context.measureText(`${short.join("")}…`).width > width)
    short = short.slice(0, -1);
  return `${short.join("")}…`;
}

// A mixture of two "#rrggbb" colours.
export function mixed(first, second, share) {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [first, second].map((text) => Number.parseInt(text.slice(at, at + 2), 16));
    return Math.round(a * (1 - share) + b * share)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${parts.join("")}`;
}
