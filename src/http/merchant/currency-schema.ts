/** The currencies of orders, for the API reference. */
import { Type } from 'typebox';
import { currencyCodes } from '../../domain/money/currency.ts';
import { oneOfWords } from '../open-api/vocabulary.ts';

export const Currency = Type.Unsafe<string>({
  ...oneOfWords(currencyCodes.toSorted()),
  title: 'Currency',
  description: 'An active ISO 4217 code with a minor unit, in upper case.',
});
