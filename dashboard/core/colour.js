/** How readable a colour is: contrast by WCAG 2, as the service computes it for the checkout page. */

export const usualColour = '#1a56db';
/** Of the backgrounds of links, the light one with the least contrast. */
const page = '#f3f4f6';
const contrastMin = 4.5;

/**
 * `#rrggbb`, or undefined for any other text.
 * @param {string} text
 */
export function findColour(text) {
  const colour = text.trim().toLowerCase();
  if (/^#[\da-f]{6}$/.test(colour)) return colour;
  return /^#[\da-f]{3}$/.test(colour) ? colour.replaceAll(/[\da-f]/g, '$&$&') : undefined;
}

/**
 * The text on a button of this colour: white or black, whichever has more contrast.
 * @param {string} colour
 */
export function textOn(colour) {
  const isWhite = contrast('#ffffff', colour) >= contrast('#000000', colour);
  return isWhite ? '#ffffff' : '#000000';
}

/**
 * What becomes of a colour on the checkout page, in a sentence.
 * @param {string} colour
 */
export function describeColour(colour) {
  const text = textOn(colour);
  const ratio = contrast(text, colour).toFixed(1);
  const button = `Text on buttons is ${text === '#ffffff' ? 'white' : 'black'} (contrast ${ratio}).`;
  const links = contrast(colour, page) >= contrastMin;
  return `${button} ${links ? 'Links have this colour.' : 'Links get a darker shade: this colour is hard to read on a light page.'}`;
}

/**
 * @param {string} one
 * @param {string} other
 */
function contrast(one, other) {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** @param {string} colour */
function luminance(colour) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
