/** The alert file and the dashboard speak of what the service really measures, and of what the handbook explains. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startTestService } from './support/test-service.ts';

const service = await startTestService();
const page = String((await service.call('/metrics')).body);
const alertsText = await readProjectFile('ops/alerts.yml');
const handbook = await readProjectFile('docs/operations.md');

type Dashboard = {
  readonly panels: ReadonlyArray<{
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly w: number };
    readonly targets?: ReadonlyArray<{ readonly expr: string }>;
  }>;
};

test('every metric that an alert names is on /metrics', () => {
  const alerts = listAlerts();
  assert.ok(alerts.length >= 12);
  for (const { name, expr } of alerts) {
    const metrics = metricsOf(expr).filter((metric) => metric !== 'up');
    assert.ok(metrics.length > 0 || name === 'ServiceDown', name);
    assert.deepEqual(findUnknown(metrics), [], name);
  }
});

test('every metric that the dashboard names is on /metrics', async () => {
  const { panels } = JSON.parse(await readProjectFile('ops/grafana-dashboard.json')) as Dashboard;
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const { title, type, targets = [], gridPos } of panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    assert.equal(targets.length > 0, type !== 'row', title);
    for (const { expr } of targets) {
      const metrics = metricsOf(expr);
      assert.ok(metrics.length > 0, title);
      assert.deepEqual(findUnknown(metrics), [], title);
    }
  }
});

test('every figure of our own has its place on the dashboard', async () => {
  const dashboard = await readProjectFile('ops/grafana-dashboard.json');
  const own = [...page.matchAll(/^# TYPE (\S+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !/^(process|nodejs)_/.test(name));
  assert.ok(own.length >= 10);
  assert.deepEqual(
    own.filter((name) => !dashboard.includes(name)),
    [],
  );
});

test('every expression is well formed, and none takes the difference of a gauge that stops at a limit', () => {
  for (const { name, expr } of listAlerts()) {
    const isOpen = { '(': 1, ')': -1, '{': 1, '}': -1, '[': 1, ']': -1 } as Record<string, number>;
    const depths = [...expr.replaceAll(/"[^"]*"/g, '')].map((letter) => isOpen[letter] ?? 0);
    let depth = 0;
    for (const step of depths) {
      depth += step;
      assert.ok(depth >= 0, name);
    }
    assert.equal(depth, 0, name);
    assert.match(expr, /(==|>|<)/, name);
    assert.doesNotMatch(expr, /\b(delta|idelta|deriv)\(/, name);
    assert.doesNotMatch(expr, /(rate|increase)\((?!\w+_(total|count|bucket|sum)\b)/, name);
  }
});

test('every alert says what it is about and leads to its section of the handbook', () => {
  for (const { name, summary, runbook } of listAlerts()) {
    assert.ok(summary, name);
    assert.equal(runbook, `docs/operations.md#${name.toLowerCase()}`);
    assert.match(handbook, new RegExp(`^### ${name}$`, 'm'));
  }
});

type Alert = {
  readonly name: string;
  readonly expr: string;
  readonly summary: string;
  readonly runbook: string;
};

function listAlerts(): Alert[] {
  const [, ...rules] = alertsText.split(/^ {6}- alert: /m);
  return rules.map((rule) => {
    const find = (pattern: RegExp) => pattern.exec(rule)?.[1]?.trim() ?? '';
    const expr = find(/^ {8}expr: (?:>-\n)?([\s\S]*?)\n {8}\w/m);
    assert.notEqual(expr, '', rule);
    return {
      name: find(/^(\w+)/),
      expr,
      summary: find(/^ {10}summary: (.*)$/m),
      runbook: find(/^ {10}runbook: (.*)$/m),
    };
  });
}

/** Words that are neither labels nor functions. */
function metricsOf(expr: string): string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\bby \([^)]*\)/g, ' ')
    .replaceAll(/\b(and|or|unless)\b/g, ' ');
  return [...bare.matchAll(/\b[a-z_]\w*\b(?! *\()/g)].map(([word]) => word);
}

function findUnknown(metrics: readonly string[]): string[] {
  const types = new Map(
    [...page.matchAll(/^# TYPE (\S+) (\S+)/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  return metrics.filter((metric) => {
    const base = metric.replace(/_(bucket|sum|count)$/, '');
    return !types.has(metric) && types.get(base) !== 'histogram';
  });
}

function readProjectFile(path: string): Promise<string> {
  return readFile(new URL(`../${path}`, import.meta.url), 'utf8');
}
