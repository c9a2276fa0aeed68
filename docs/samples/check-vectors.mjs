// Checks signature.mjs and sealed.mjs against a file of vectors: node check-vectors.mjs vectors.json
import { readFileSync } from 'node:fs';
import { open, seal } from './sealed.mjs';
import { verifySignature } from './signature.mjs';

const { signatures, sealed } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
let failures = 0;
const check = (name, actual, expected) => {
  if (actual === expected) return;
  failures += 1;
  console.log(`${name}: ${actual} instead of ${expected}`);
};
const attempt = (call, otherwise) => {
  try {
    return call();
  } catch {
    return otherwise;
  }
};

for (const { name, transaction, invoice_id, access_secret, version, outcome } of signatures) {
  const verify = () => verifySignature(transaction, invoice_id, access_secret, version);
  check(name, attempt(verify, 'invalid'), outcome);
}
for (const { name, hex, access_secret, text } of sealed) {
  check(
    name,
    attempt(() => open(hex, access_secret), null),
    text,
  );
  if (text !== null)
    check(`${name}, sealed here`, open(seal(text, access_secret), access_secret), text);
}
console.log(
  `${signatures.length} signatures and ${sealed.length} sealed payloads, ${failures} wrong`,
);
process.exitCode = failures === 0 ? 0 : 1;
