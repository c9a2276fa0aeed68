/** What the commands about users share. */
import type { OptionSpecs } from '../framework/command.ts';

export const emailOption = {
  email: {
    type: 'string',
    value: 'ADDRESS',
    text: 'The e-mail address of the person.',
    isRequired: true,
  },
} as const satisfies OptionSpecs;

export function adviseOnLink(): string[] {
  return ['Whoever has the link can use it: give it to this person only.'];
}
