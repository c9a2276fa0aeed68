/**
 * Generates card numbers in many spellings from a seed. It follows contract 8.5 and shares no code with the service.
 */
import { randomFrom } from '../../simulator/random.ts';

export type Dealer = {
  readonly pick: <Entry>(entries: readonly Entry[]) => Entry;
  /** A new card number in a random spelling. `where` is reported if the number is found later. */
  readonly deal: (where: string, fit?: Fit) => string;
  /** The plain digits of a new card number. */
  readonly dealPlain: (where: string) => string;
  /** Digits without a valid checksum, which only a card field must not contain. */
  readonly dealLoose: (where: string) => string;
  /** A new security code. */
  readonly dealCode: (where: string) => string;
  /** Everything that was generated, and where it was put. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly codes: ReadonlyMap<string, string>;
};

export type Fit = {
  /** Only printable ASCII, for headers. */
  readonly isPrintable?: boolean;
  readonly charsMax?: number;
};

const firstDigits = '234568';
const spaces = [' ', '\u00a0', '\u202f', '\u2009', '\u2003', '\u200a', '\u3000', '\t', '\n', '  '];
const dashes = ['-', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212', '\uff0d', ' - '];
const dots = ['.', '\u00b7', '\u2024', '\uff0e', '. '];
const invisible = ['\u200b', '\u2060', '\u00ad'];
const separators = [...spaces, ...dashes, ...dots, ...invisible];
const printable = [' ', '-', '.', ' - ', '. '];
/** The code point of zero in each script. */
export const zeros = [0x30, 0xff10, 0x660, 0x6f0, 0x966, 0x9e6, 0x1d7ce, 0x1d7d8];
const superscripts = [...'⁰¹²³⁴⁵⁶⁷⁸⁹'];
/** What a text holds that was JSON or markup before, and was not decoded. */
const escapes: readonly ((character: string) => string)[] = [
  escaped,
  (character) => escaped(character).replace('\\', '\\\\'),
  (character) => `&#${character.codePointAt(0)};`,
  (character) => `&#x${character.codePointAt(0)?.toString(16)};`,
];

export function createDealer(seed: number): Dealer {
  const random = randomFrom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick: Dealer['pick'] = (entries) => entries[below(entries.length)] as (typeof entries)[0];
  const numbers = new Map<string, string>();
  const codes = new Map<string, string>();

  const digitsOf = (length: number) => Array.from({ length }, () => String(below(10))).join('');
  const newCard = () => {
    const body = pick([...firstDigits]) + digitsOf(11 + below(7));
    return body + checkDigitOf(body);
  };
  const groupsOf = (digits: string): string[] => {
    const whole = () => [digits];
    const fours = () => digits.match(/\d{1,4}/g) ?? [];
    const amex = () => [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)];
    const single = () => [...digits];
    const halves = () => [digits.slice(0, 7), digits.slice(7)];
    return pick([whole, fours, fours, amex, single, halves])();
  };
  const spell = (digits: string, isPrintable: boolean): string => {
    if (isPrintable || random() < 0.5) return digits;
    const zero = pick(zeros);
    const isMixed = random() < 0.3;
    return [...digits]
      .map((digit) => {
        if (isMixed && random() < 0.2) return superscripts[Number(digit)];
        return String.fromCodePoint((isMixed ? pick(zeros) : zero) + Number(digit));
      })
      .join('');
  };
  const escapeSome = (text: string): string => {
    const write = pick(escapes);
    const share = pick([0.1, 0.5, 1]);
    return [...text].map((character) => (random() < share ? write(character) : character)).join('');
  };
  const disguise = (digits: string, { isPrintable = false }: Fit): string => {
    const groups = groupsOf(digits).map((group) => spell(group, isPrintable));
    const between = isPrintable ? printable : separators;
    const separator = pick(between);
    const isMixed = random() < 0.2;
    const [first = '', ...others] = groups;
    const number = first + others.map((g) => (isMixed ? pick(between) : separator) + g).join('');
    return pick([
      () => number,
      () => escapeSome(number),
      () => `card ${number} please`,
      () => `x${number}y`,
      () => `+${number}`,
      () => `000${number}`,
      () => `12 ${number}`,
      () => `**${number}**`,
      () => `${number} 123`,
      () => `(${number})`,
    ])();
  };

  const deal: Dealer['deal'] = (where, fit = {}) => {
    const digits = newCard();
    let text = disguise(digits, fit);
    while (text.length > (fit.charsMax ?? 500)) text = disguise(digits, fit);
    numbers.set(digits, `${where} as ${JSON.stringify(text)}`);
    return text;
  };
  return {
    pick,
    deal,
    dealPlain: (where) => {
      const digits = newCard();
      numbers.set(digits, where);
      return digits;
    },
    dealLoose: (where) => {
      const digits = String(1 + below(9)) + digitsOf(12 + below(12));
      numbers.set(digits, `${where}, without a checksum`);
      return pick([groupsOf(digits).join(pick(separators)), groupsOf(digits).join('/')]);
    },
    dealCode: (where) => {
      const code = `Q${digitsOf(7)}Q`;
      codes.set(code, where);
      return code;
    },
    numbers,
    codes,
  };
}

function checkDigitOf(body: string): string {
  const sum = [...body].reverse().reduce((total, digit, index) => {
    const doubled = index % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

const numberMark = '\u0001';

/** A placeholder for a JSON number with exactly these digits. */
export function jsonNumber(digits: string): string {
  return numberMark + digits;
}

/** One of the equivalent spellings as JSON: some texts are written with escapes. */
export function spellJson(value: unknown, { pick }: Pick<Dealer, 'pick'>): string {
  const isEscaped = pick([true, false]);
  const text = (content: string) =>
    isEscaped && content.length >= 13
      ? `"${[...content].map((character) => (pick([true, false]) ? escaped(character) : plain(character))).join('')}"`
      : JSON.stringify(content);
  const write = (entry: unknown): string => {
    if (typeof entry === 'string') {
      return entry.startsWith(numberMark) ? entry.slice(1) : text(entry);
    }
    if (Array.isArray(entry)) return `[${entry.map(write).join(',')}]`;
    if (typeof entry !== 'object' || entry === null) return JSON.stringify(entry);
    const fields = Object.entries(entry).filter(([, field]) => field !== undefined);
    return `{${fields.map(([name, field]) => `${text(name)}:${write(field)}`).join(',')}}`;
  };
  return write(value);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function plain(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}

/** One of the equivalent encodings as the bank gateway's form data. */
export function spellForm(value: unknown, { pick }: Pick<Dealer, 'pick'>): string {
  const encode = pick<(text: string) => string>([
    encodeURIComponent,
    (text) => encodeURIComponent(text).replaceAll('%20', '+'),
    (text) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  ]);
  const pairs: string[] = [];
  const walk = (entry: unknown, name: string): void => {
    if (Array.isArray(entry))
      for (const [at, each] of entry.entries()) walk(each, `${name}[${at}]`);
    else if (typeof entry === 'object' && entry !== null) {
      for (const [key, field] of Object.entries(entry)) walk(field, name ? `${name}.${key}` : key);
    } else if (entry !== undefined && entry !== null) {
      const isPlain = name.length < 13;
      pairs.push(
        `${isPlain ? name : encode(name)}=${encode(String(entry).replace(numberMark, ''))}`,
      );
    }
  };
  walk(value, '');
  return pairs.join('&');
}
