/** Throughput and p99 by number of connections, as a self-contained SVG. */
import type { Row } from './load.ts';

const [width, height, margin] = [420, 300, 48];
const colours = [
  '#888888',
  '#1a56db',
  '#0e9f6e',
  '#31c48d',
  '#84e1bc',
  '#e3a008',
  '#d03801',
  '#7e3af2',
];

export function plotOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.map(({ what }) => what))];
  const panels = [
    panelOf(rows, names, 'requests per second', ({ perSecond }) => perSecond, 0),
    panelOf(rows, names, 'p99, ms', ({ p99Ms }) => p99Ms, width + margin),
  ];
  const legend = names.map(
    (name, index) =>
      `<text x="${margin + (index % 4) * 215}" y="${height + 70 + Math.floor(index / 4) * 18}" fill="${colours[index]}">● ${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * width + 3 * margin} ${height + 110}" font-family="system-ui, sans-serif" font-size="12">
<title>Throughput and p99 against connections</title>
<rect width="100%" height="100%" fill="#ffffff"/>
${panels.join('\n')}
${legend.join('\n')}
</svg>
`;
}

function panelOf(
  rows: readonly Row[],
  names: readonly string[],
  title: string,
  read: (row: Row) => number,
  left: number,
): string {
  const counts = [...new Set(rows.map(({ connections }) => connections))].sort((a, b) => a - b);
  const top = Math.max(...rows.map(read));
  const x = (connections: number) =>
    left + margin + (counts.indexOf(connections) / (counts.length - 1)) * (width - margin);
  const y = (value: number) => margin + (1 - value / top) * (height - margin);
  const lines = names.map((name, index) => {
    const points = rows
      .filter(({ what }) => what === name)
      .map((row) => `${x(row.connections).toFixed(1)},${y(read(row)).toFixed(1)}`);
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colours[index]}" stroke-width="2"/>`;
  });
  const ticks = [0, 0.5, 1].map((part) => {
    const value = top * part;
    return `<text x="${left + margin - 6}" y="${y(value) + 4}" text-anchor="end" fill="#555">${value.toFixed(0)}</text>
<line x1="${left + margin}" x2="${left + width}" y1="${y(value)}" y2="${y(value)}" stroke="#dddddd"/>`;
  });
  const labels = counts.map(
    (count) =>
      `<text x="${x(count)}" y="${height + 18}" text-anchor="middle" fill="#555">${count}</text>`,
  );
  return [
    `<text x="${left + margin}" y="${margin - 18}" font-weight="600">${title}</text>`,
    ...ticks,
    ...labels,
    `<text x="${left + (width + margin) / 2}" y="${height + 38}" text-anchor="middle" fill="#555">connections</text>`,
    ...lines,
  ].join('\n');
}
