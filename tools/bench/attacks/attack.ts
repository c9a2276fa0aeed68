/** One attack in a process of its own: `attack.ts NAME TARGET`, with the target as JSON. */
import { setPriority } from 'node:os';
import { type AttackName, attacks } from './attacks.ts';

// It is elsewhere in reality, so it gets only the CPU that the service leaves.
setPriority(19);
const [name = '', target = ''] = process.argv.slice(2);
attacks[name as AttackName](JSON.parse(target));
