/** Small drawings in the page itself, because pages load nothing. They repeat what the text says, so they are hidden. */
import { type Html, html } from './html.ts';

type IconName = keyof typeof drawings;

const drawings = {
  partner: 'M13 2 4 14h7l-1 8 10-13h-7z',
  gateway: 'M3 10 12 4l9 6M5 10v8m5-8v8m4-8v8m5-8v8M3 20h18',
  upi: 'M7 2h10a1 1 0 0 1 1 1v18a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zm4 17h2',
  done: 'm5 12.5 4.5 4.5L19 7',
  failed: 'M6 6l12 12M18 6 6 18',
} as const;

export function icon(name: IconName): Html {
  return html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${drawings[name]}"/></svg>`;
}
