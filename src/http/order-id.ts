/** The field that names the order in the calls around it. */
import { Type } from 'typebox';
import { limits } from '../domain/limits.ts';

export const orderIdMember = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: limits.textCharsMax,
    description:
      'Identifier of the order, issued at creation. Required with a merchant token; an order token names its order itself.',
  }),
);
