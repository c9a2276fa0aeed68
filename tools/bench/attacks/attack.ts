/** One attack in a process of its own: `attack.ts NAME TARGET`, with the target as JSON. */
import { type AttackName, attacks } from './attacks.ts';

const [name = '', target = ''] = process.argv.slice(2);
attacks[name as AttackName](JSON.parse(target));
