/** Parses the gateway's body, JSON or form data, into one nested object. */
import { jsonObject, type WireObject } from '../wire.ts';

type Node = { [name: string]: Node | string };

const depthMax = 16;

export function readGatewayBody(bytes: Buffer): WireObject | undefined {
  const text = bytes.toString('utf8').trim();
  return text.startsWith('{') ? jsonObject(bytes) : readForm(text);
}

/** Name-value pairs: `order.id=1&risk.response.rule[0].name=x`. */
function readForm(text: string): WireObject | undefined {
  if (!/^[\w%.[\]-]+=/.test(text)) return undefined;
  const root = emptyNode();
  for (const [name, value] of new URLSearchParams(text)) {
    // `rule[0].name` is the path rule, 0, name.
    const path = name.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
    if (path.length <= depthMax) place(root, path, value);
  }
  return root;
}

function place(root: Node, path: readonly string[], value: string): void {
  let node = root;
  for (const name of path.slice(0, -1)) {
    const known = node[name];
    const next = typeof known === 'object' ? known : emptyNode();
    node[name] = next;
    node = next;
  }
  node[path.at(-1) ?? ''] = value;
}

/** Has no prototype, so that a field name such as `__proto__` has no effect. */
const emptyNode = (): Node => Object.create(null) as Node;
