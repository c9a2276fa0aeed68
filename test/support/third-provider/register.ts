/** The one line that adds a provider to the service. Node loads it before a command with `--import`. */
import { registerProvider } from '../../../src/providers/providers.ts';
import { acmePay } from './acme-pay.ts';

registerProvider(acmePay);
