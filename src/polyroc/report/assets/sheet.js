// The sheet of operating points of three classes as triangles.

// Corners of the triangles of the sheet: its points lie on a lattice, i + j ≤ size, row by row.
export function sheetTriangles(size) {
  const at = (i, j) => i * (size + 1) - (i * (i - 1)) / 2 + j;
  const triangles = [];
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size - i; j += 1) {
      triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
      if (j < size - i - 1) triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
    }
  }
  return triangles;
}

// How much a triangle faces the light, from 0 to 1, in the picture's own space.
export function facing([a, b, c]) {
  const [u, v] = [b, c].map((p) => p.map((each, k) => each - a[k]));
  const across = (u[0] * v[1] - u[1] * v[0]) * 0.004;
  const slope = u[1] * v[2] - u[2] * v[1];
  return Math.abs(across) / (Math.hypot(across, slope) || 1);
}
