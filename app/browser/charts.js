/** The values under the pointer, read from the table behind each chart. */
const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 1_000;

/** @param {Element} plot */
function parts(plot) {
  const chart = /** @type {HTMLElement} */ (plot.closest('.chart'));
  const legend = chart.previousElementSibling;
  // Newest first.
  const rows = [...(chart.nextElementSibling?.querySelectorAll('tbody tr') ?? [])].reverse();
  return { isBars: chart.dataset.chart === 'bars', legend, rows, place: legend?.querySelector('.legend-place') };
}

/** @param {Element} plot @param {number} part From 0 at the left to 1. */
function point(plot, part) {
  const { isBars, legend, rows, place } = parts(plot);
  const last = rows.length - 1;
  const at = Math.min(Math.max(isBars ? Math.floor(part * rows.length) : Math.round(part * last), 0), last);
  const row = rows[at];
  if (!row || !place) return;
  const values = [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '');
  place.textContent = [row.querySelector('th')?.textContent, ...(isBars ? values : [])].join(' · ');
  if (!isBars) [...(legend?.querySelectorAll('li[data-series] strong') ?? [])].forEach((value, n) => { value.textContent = values[n] ?? ''; });
  const x = String(isBars ? (WIDTH * (at + 0.5)) / rows.length : (WIDTH * at) / Math.max(last, 1));
  const line = plot.querySelector('.chart-crosshair') ?? plot.querySelector('svg')?.appendChild(document.createElementNS(SVG, 'line'));
  for (const [name, value] of Object.entries({ class: 'chart-crosshair', x1: x, x2: x, y1: '0', y2: '200' })) line?.setAttribute(name, value);
}

document.addEventListener('pointermove', ({ target, clientX }) => {
  const plot = target instanceof Element && target.closest('.chart-plot');
  if (!plot) return;
  const { left, width } = plot.getBoundingClientRect();
  point(plot, (clientX - left) / Math.max(width, 1));
});

document.addEventListener('pointerout', ({ target, relatedTarget }) => {
  const plot = target instanceof Element && target.closest('.chart-plot');
  if (!plot || plot.contains(/** @type {Node | null} */ (relatedTarget))) return;
  const { isBars, legend, rows, place } = parts(plot);
  plot.querySelector('.chart-crosshair')?.remove();
  if (place) place.textContent = '';
  // Nothing is pointed at: the values are those of now.
  const values = [...(rows.at(-1)?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent ?? '');
  if (!isBars) [...(legend?.querySelectorAll('li[data-series] strong') ?? [])].forEach((value, n) => { value.textContent = values[n] ?? ''; });
});
