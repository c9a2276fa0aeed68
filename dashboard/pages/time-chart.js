/** One chart over time, drawn on a canvas. Its colours are those of the page, also when the scheme changes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { html } from '../core/html.js';

const height = 180;
const font = '12px system-ui, sans-serif';

/** @typedef {import('./charts.js').Row} Row */
/**
 * @typedef {object} Props
 * @property {string} title
 * @property {'bars' | 'line'} kind
 * @property {string} from
 * @property {string} to
 * @property {Row[]} rows
 * @property {(row: Row) => string} nameOf
 * @property {(row: Row) => number | null} figureOf
 * @property {(row: Row) => string} textOf
 * @property {(value: number) => string} labelOf Of the axis.
 * @property {number} [max]
 */

/** @param {Props} props */
export function TimeChart(props) {
  const frame = useRef(/** @type {HTMLDivElement | null} */ (null));
  const chart = useRef(/** @type {uPlot | undefined} */ (undefined));
  const [index, setIndex] = useState(/** @type {number | null} */ (null));
  const { title, rows, nameOf, textOf } = props;
  const data = dataOf(props);
  useEffect(() => {
    if (!frame.current) return undefined;
    const made = new uPlot(
      optionsOf(props, frame.current.clientWidth, setIndex),
      data,
      frame.current,
    );
    chart.current = made;
    const stop = followPage(made, frame.current);
    return () => {
      stop();
      made.destroy();
    };
  }, []);
  const text = JSON.stringify(data);
  useEffect(() => chart.current?.setData(dataOf(props)), [text]);
  const row = index === null ? undefined : rows[index];
  return html`<figure class="card chart">
    <figcaption>${title} <span class="quiet">${row && `${nameOf(row)}: ${textOf(row)}`}</span></figcaption>
    <div class="chart-frame" role="img" aria-label=${`${title} over time. The figures are in the table below.`} ref=${frame}></div>
  </figure>`;
}

/**
 * Bars begin where their time begins; points are in the middle of it.
 * @param {Props} props
 * @returns {uPlot.AlignedData}
 */
function dataOf({ rows, figureOf, kind }) {
  const placeOf = (/** @type {Row} */ { from, to }) => {
    const [start, end] = [Date.parse(from), Date.parse(to)];
    return (kind === 'bars' ? start : (start + end) / 2) / 1_000;
  };
  return [rows.map(placeOf), rows.map(figureOf)];
}

/**
 * @param {Props} props
 * @param {number} width
 * @param {(index: number | null) => void} onHover
 * @returns {uPlot.Options}
 */
function optionsOf({ title, kind, from, to, labelOf, max }, width, onHover) {
  const line = () => colour('--line');
  const axis = { stroke: () => colour('--quiet'), font, ticks: { show: false } };
  const range = /** @type {uPlot.Range.MinMax} */ ([
    Date.parse(from) / 1_000,
    Date.parse(to) / 1_000,
  ]);
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: true, range: () => range },
      y: { range: (_chart, _low, high) => [0, max ?? Math.max(high ?? 0, 1) * 1.05] },
    },
    axes: [
      { ...axis, size: 30, grid: { show: false }, values: timeLabels },
      {
        ...axis,
        size: 64,
        space: 36,
        grid: { stroke: line, width: 1 },
        values: (_chart, splits) => splits.map(labelOf),
      },
    ],
    series: [
      {},
      {
        label: title,
        stroke: () => colour('--accent'),
        width: kind === 'bars' ? 0 : 2,
        ...(kind === 'bars' && {
          fill: () => colour('--accent'),
          paths: uPlot.paths.bars?.({ size: [0.8, 48], align: 1 }),
          points: { show: false },
        }),
        ...(kind === 'line' && { points: { size: 5, fill: () => colour('--accent') } }),
      },
    ],
    hooks: { setCursor: [(chart) => onHover(chart.cursor.idx ?? null)] },
  };
}

const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const months = new Intl.DateTimeFormat(undefined, { month: 'short' });
const hours = new Intl.DateTimeFormat(undefined, { hour: 'numeric' });

/** @type {uPlot.Axis.DynamicValues} */
function timeLabels(_chart, splits, _axis, _space, step) {
  const format = step < 86_400 ? hours : step < 28 * 86_400 ? days : months;
  return splits.map((seconds) => format.format(seconds * 1_000));
}

/** @param {string} name Of a custom property. */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/**
 * @param {uPlot} chart
 * @param {HTMLElement} frame
 */
function followPage(chart, frame) {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => chart.redraw();
  scheme.addEventListener('change', redraw);
  const size = new ResizeObserver(() => chart.setSize({ width: frame.clientWidth, height }));
  size.observe(frame);
  return () => {
    scheme.removeEventListener('change', redraw);
    size.disconnect();
  };
}

// Its rules are loaded with the first chart. They must be there before it is measured.
await new Promise((resolve) => {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = new URL('../packages/uplot.css', import.meta.url).href;
  link.addEventListener('load', resolve);
  link.addEventListener('error', resolve);
  document.head.append(link);
});
