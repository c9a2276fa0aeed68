/** What a delivery means, in our own words: what a provider's translator makes of its bytes. */
import type { Notice, OrderReferences } from '../payments/notice.ts';
import type { ReviewFlag } from '../review-flag.ts';

export type Translation =
  | { readonly kind: 'notice'; readonly notice: Notice }
  /** Belongs to an order and changes nothing of it: a dispute in a status that is not known. Contract 17.8. */
  | {
      readonly kind: 'report';
      readonly names: OrderReferences;
      /** The delivery's state once its order is known. */
      readonly state: 'needs_review' | 'ignored';
      readonly why: string;
      readonly flags: readonly ReviewFlag[];
      readonly isForeignEvent?: true;
    }
  /** Understood, and it changes nothing here. */
  | {
      readonly kind: 'ignored';
      readonly why: string;
      readonly flags?: readonly ReviewFlag[];
      /** The contract lists the events that a bearer caller may send; this is another one. */
      readonly isForeignEvent?: true;
    }
  /** Can never be understood: not the expected format, or without an event or ids. */
  | { readonly kind: 'unreadable'; readonly why: string };

export const unreadable = (why: string) => ({ kind: 'unreadable', why }) as const;

/** What can name the order of a delivery; undefined where it belongs to none. */
export function findOrderNames(translation: Translation): OrderReferences | undefined {
  if (translation.kind === 'notice') return translation.notice;
  return translation.kind === 'report' ? translation.names : undefined;
}
