/**
 * Checks that the time of a refusal does not reveal what is wrong with a sealed body. Several kinds of invalid bodies
 * are tried in turn, 10,000 times each; their medians should be similar. A body that is not hex is refused sooner,
 * which reveals nothing that the sender does not know.
 */
import { openPayload, sealPayload } from '../../src/security/sealed-payload.ts';
import { medianOf } from './median.ts';

const tries = 10_000;
const secret = 'access_secret_of_the_bench';
const sealed = sealPayload(
  JSON.stringify({ invoice_id: 'INV-1', text: 'x'.repeat(1_000) }),
  secret,
);

const wrongs: Readonly<Record<string, readonly [hex: string, secret: string]>> = {
  'nonce changed': [flip(sealed, 0), secret],
  'first byte changed': [flip(sealed, 32), secret],
  'last byte changed': [flip(sealed, sealed.length - 34), secret],
  'tag changed': [flip(sealed, sealed.length - 2), secret],
  'other secret': [sealed, 'access_secret_of_another'],
};

const times = new Map(Object.keys(wrongs).map((name) => [name, [] as number[]]));
for (let turn = 0; turn < tries; turn += 1) {
  for (const [name, [hex, key]] of Object.entries(wrongs)) {
    const start = process.hrtime.bigint();
    if (openPayload(hex, key) !== undefined) throw new Error(`${name} was opened`);
    times.get(name)?.push(Number(process.hrtime.bigint() - start));
  }
}

const medians = [...times].map(([name, list]) => ({ name, median: medianOf(list) }));
const smallest = Math.min(...medians.map(({ median }) => median));
console.log(`Refusals of sealed bodies, ${tries} tries each`);
for (const { name, median } of medians) {
  console.log(
    `  ${name.padEnd(20)} ${(median / 1000).toFixed(1).padStart(6)} µs   ×${(median / smallest).toFixed(2)}`,
  );
}

function flip(hex: string, at: number): string {
  return `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;
}
