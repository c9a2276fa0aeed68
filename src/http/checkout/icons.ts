/** Small drawings. They repeat what the text beside them says, so screen readers skip them. */
import type { PaymentModeCode } from '../../domain/payment-mode.ts';
import { type Html, trusted } from './html.ts';

export const icons = {
  done: draw('<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  failed: draw('<path d="M7 7l10 10M17 7 7 17"/>'),
  clock: draw('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>'),
  wait: draw('<path d="M12 3a9 9 0 1 0 9 9"/>', 'spin'),
  lock: draw(
    '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  ),
} as const;

const card = draw(
  '<rect x="3" y="5.5" width="18" height="13" rx="2"/><path d="M3 10h18M6.5 15h4"/>',
);

export const modeIcons: Readonly<Record<PaymentModeCode, Html>> = {
  upi: draw('<path d="m8 4 7 8-7 8M14 4l4 8-4 8"/>'),
  credit_card: card,
  debit_card: card,
  net_banking: draw('<path d="M3 9.5 12 4l9 5.5zM5.5 10v7m4.3-7v7m4.4-7v7m4.3-7v7M3.5 19.5h17"/>'),
  wallet: draw(
    '<path d="M4 7.5A2.5 2.5 0 0 1 6.5 5H17v3M4 7.5V17a2.5 2.5 0 0 0 2.5 2.5H20V8H4.500"/><path d="M16 13.700h.1"/>',
  ),
  prepaid_card: card,
};

function draw(shapes: string, className?: string): Html {
  const names = className === undefined ? '' : ` class="${className}"`;
  return trusted(
    `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"${names}>${shapes}</svg>`,
  );
}
