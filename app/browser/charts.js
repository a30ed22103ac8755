/** The values under the pointer, read from the table behind each chart. */
const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 1_000;

/** @type {{ plot: Element, part: number } | null} Where the pointer is; `part` from 0 at the left to 1. */
let pointed = null;

/** Shows the values of a place of a chart; without one those of now. @param {Element} plot @param {number} [part] */
function show(plot, part) {
  const chart = /** @type {HTMLElement} */ (plot.closest('.chart'));
  const legend = chart.previousElementSibling;
  // Newest first.
  const rows = [...(chart.nextElementSibling?.querySelectorAll('tbody tr') ?? [])].reverse();
  const isBars = chart.dataset.chart === 'bars';
  const last = rows.length - 1;
  const place = (part ?? 1) * (isBars ? rows.length : last);
  const at = Math.min(Math.max(isBars ? Math.floor(place) : Math.round(place), 0), last);
  const values = [...(rows[at]?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent ?? '');
  const words = [rows[at]?.querySelector('th')?.textContent, ...(isBars ? values : [])].join(' · ');
  const label = legend?.querySelector('.legend-place');
  if (label) label.textContent = part === undefined ? '' : words;
  if (!isBars) legend?.querySelectorAll('li[data-series] strong').forEach((value, n) => { value.textContent = values[n] ?? ''; });
  plot.querySelector('.chart-crosshair')?.remove();
  if (part === undefined || last < 0) return;
  const x = String(isBars ? (WIDTH * (at + 0.5)) / rows.length : (WIDTH * at) / Math.max(last, 1));
  const line = document.createElementNS(SVG, 'line');
  for (const [name, value] of Object.entries({ class: 'chart-crosshair', x1: x, x2: x, y1: '0', y2: '200' })) line.setAttribute(name, value);
  plot.querySelector('svg')?.append(line);
}

document.addEventListener('pointermove', ({ target, clientX }) => {
  const plot = target instanceof Element && target.closest('.chart-plot');
  if (pointed && pointed.plot !== plot) show(pointed.plot);
  pointed = null;
  if (!plot) return;
  const { left, width } = plot.getBoundingClientRect();
  pointed = { plot, part: (clientX - left) / Math.max(width, 1) };
  show(plot, pointed.part);
});

// The page was read again: the same place has other values.
addEventListener('page:shown', () => {
  if (pointed?.plot.isConnected) show(pointed.plot, pointed.part);
});
