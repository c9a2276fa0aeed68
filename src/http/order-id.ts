/** The member that names the order in the calls around it. */
import { Type } from 'typebox';
import { limits } from '../domain/limits.ts';

export const orderIdMember = Type.String({
  minLength: 1,
  maxLength: limits.textCharsMax,
  description: 'Identifier of the order, issued at creation.',
});
