// Classes in an order in which those that are confused stand side by side.

// Starts with the closest two, then puts the class that is closest to either end beside it.
export function chained(members, closeness) {
  const left = [...members];
  if (left.length < 3) return left;
  let start = [left[0], left[1]];
  for (const a of left)
    for (const b of left)
      if (a < b && closeness(a, b) > closeness(...start)) start = [a, b];
  const chain = [...start];
  const rest = new Set(left.filter((k) => !chain.includes(k)));
  while (rest.size) {
    let found = null;
    for (const k of rest)
      for (const atEnd of [true, false]) {
        const near = closeness(atEnd ? chain.at(-1) : chain[0], k);
        if (!found || near > found.near) found = { k, atEnd, near };
      }
    if (found.atEnd) chain.push(found.k);
    else chain.unshift(found.k);
    rest.delete(found.k);
  }
  return chain;
}

// Rows and columns of a square table, first column and row its headings, in the order of the
// classes; what follows the classes stays behind them.
export function arrange(table, order, n) {
  const [head, ...rows] = [...table.rows];
  const place = (row) => {
    const cells = row.classCells ?? [...row.cells].slice(1, n + 1);
    row.classCells = cells;
    row.cells[0].after(...order.map((k) => cells[k]));
  };
  table.classRows ??= rows;
  [head, ...rows].forEach(place);
  table.tBodies[0].append(...order.map((k) => table.classRows[k]));
}
