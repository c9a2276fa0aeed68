/**
 * The colour of a shop on its checkout page, and the shades of it that consumers can read: contrast by WCAG 2. A colour is
 * text such as `#0a7cff`. Contract 14.2.
 */

/** The shades for one background. All have a contrast of at least 4.5 to what they are shown on. */
type Shades = {
  /** The fill of buttons: the colour itself. */
  readonly button: string;
  readonly onButton: string;
  /** Links, focus rings and borders on the background. */
  readonly text: string;
};

export const defaultColour = '#1a56db';
/** Of the backgrounds on which links are shown, those with the least contrast: the light page, and a card on the dark one. */
export const backgrounds = { light: '#f3f4f6', dark: '#14161a' } as const;
/** Level AA of WCAG 2 for text of normal size. */
const contrastMin = 4.5;

const white = '#ffffff';
/**
 * Not a dark grey: the better of white and black has a contrast of at least 4.58 to every colour, the better of white and
 * #111111 only one of 4.35.
 */
const black = '#000000';

/** The colour in the one form that is stored, `#rrggbb` in lower case. Undefined for any other text. */
export function findColour(text: string): string | undefined {
  const colour = text.toLowerCase();
  if (/^#[\da-f]{6}$/.test(colour)) return colour;
  return /^#[\da-f]{3}$/.test(colour) ? colour.replaceAll(/[\da-f]/g, '$&$&') : undefined;
}

export function shadesOf(colour: string | null): {
  readonly light: Shades;
  readonly dark: Shades;
} {
  const button = colour ?? defaultColour;
  const onButton = contrastOf(white, button) >= contrastOf(black, button) ? white : black;
  return {
    light: { button, onButton, text: moveTowards(black, button, backgrounds.light) },
    dark: { button, onButton, text: moveTowards(white, button, backgrounds.dark) },
  };
}

/** From 1, the same colour, to 21, black and white. */
export function contrastOf(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

export function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => linear[channel] ?? 0);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** What a channel of sRGB contributes, from 0 to 1. */
const linear = Array.from({ length: 256 }, (_, channel) => {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}

const steps = 255;

/**
 * The first mixture with the end that has enough contrast. The end itself has. A mixture beyond one that has enough has
 * enough too, so the first is found by halving.
 */
function moveTowards(end: string, colour: string, background: string): string {
  let [first, last] = [0, steps];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    const mixed = mix(colour, end, middle / steps);
    if (contrastOf(mixed, background) >= contrastMin) last = middle;
    else first = middle + 1;
  }
  return mix(colour, end, first / steps);
}

function mix(from: string, to: string, share: number): string {
  const ends = channelsOf(to);
  const channels = channelsOf(from).map((channel, index) =>
    Math.round(channel + ((ends[index] ?? 0) - channel) * share),
  );
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
