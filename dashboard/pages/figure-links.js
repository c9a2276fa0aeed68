/** The lists behind the figures: each figure is the number of orders, or of their payments, that its list shows. */
import { hrefOf } from '../core/router.js';

/**
 * @param {{ from: string, to: string }} period
 * @param {Record<string, string>} filter
 */
export function listOf({ from, to }, filter) {
  return hrefOf(`/orders?${new URLSearchParams({ from, to, ...filter })}`);
}
