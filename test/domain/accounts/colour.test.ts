import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  backgrounds,
  contrastOf,
  defaultColour,
  findColour,
  luminanceOf,
  shadesOf,
} from '../../../src/domain/accounts/colour.ts';

const style = readFileSync(new URL('../../../checkout/checkout.css', import.meta.url), 'utf8');
const byLuminance = (one: string, other: string) => luminanceOf(one) - luminanceOf(other);
const runs = { numRuns: 2_000 };
const anyColour = fc.integer({ min: 0, max: 0xffffff }).map(colourOf);
const greys = Array.from({ length: 256 }, (_, level) => colourOf(level * 0x010101));

test('a colour is stored with six digits in lower case', () => {
  assert.equal(findColour('#0A7CFF'), '#0a7cff');
  assert.equal(findColour('#0a7cff'), '#0a7cff');
  assert.equal(findColour('#F0a'), '#ff00aa');
});

test('text that is no colour is not taken for one', () => {
  const texts = ['', '#', 'red', '0a7cff', '#0a7cf', '#0a7cff0', '#0a7cfff0', '#ggg', ' #fff'];
  for (const text of [...texts, '#fff;}', '#fff\n', 'rgb(1,2,3)', '#1234', '#１23']) {
    assert.equal(findColour(text), undefined, text);
  }
});

test('luminance and contrast are those of WCAG 2', () => {
  assert.equal(luminanceOf('#000000'), 0);
  assert.ok(Math.abs(luminanceOf('#ffffff') - 1) < 1e-12);
  assert.equal(contrastOf('#ffffff', '#000000').toFixed(2), '21.00');
  // Greys that are known for being just enough and just too light on white.
  assert.equal(contrastOf('#767676', '#ffffff').toFixed(2), '4.54');
  assert.equal(contrastOf('#777777', '#ffffff').toFixed(2), '4.48');
  assert.equal(contrastOf('#ff0000', '#ffffff').toFixed(2), '4.00');
  assert.equal(contrastOf('#0000ff', '#ffffff').toFixed(2), '8.59');
});

test('contrast does not depend on which colour is in front, and is from 1 to 21', () => {
  fc.assert(
    fc.property(anyColour, anyColour, (one, other) => {
      const contrast = contrastOf(one, other);
      assert.equal(contrastOf(other, one), contrast);
      assert.ok(contrast >= 1 && contrast <= 21.000_001, `${one} ${other}: ${contrast}`);
    }),
    runs,
  );
});

test('text on a button of any colour is readable, and is the better of white and black', () => {
  const check = (colour: string) => {
    const { light, dark } = shadesOf(colour);
    assert.deepEqual([light.button, dark.button], [colour, colour]);
    assert.equal(light.onButton, dark.onButton);
    const contrast = contrastOf(light.onButton, colour);
    assert.ok(contrast >= 4.5, `${light.onButton} on ${colour}: ${contrast}`);
    for (const other of ['#ffffff', '#000000']) assert.ok(contrastOf(other, colour) <= contrast);
  };
  greys.forEach(check);
  fc.assert(fc.property(anyColour, check), runs);
});

test('no luminance exists for which both white and black are unreadable', () => {
  // Text depends on the luminance alone, so a fine walk over all luminances covers all colours.
  for (let luminance = 0; luminance <= 1; luminance += 0.000_01) {
    const best = Math.max(1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05);
    assert.ok(best >= 4.5, `${luminance}: ${best}`);
  }
});

test('links are readable on both backgrounds, and no further from the colour than that takes', () => {
  const check = (colour: string) => {
    const shades = shadesOf(colour);
    for (const scheme of ['light', 'dark'] as const) {
      const { text } = shades[scheme];
      const contrast = contrastOf(text, backgrounds[scheme]);
      assert.ok(contrast >= 4.5, `${text} for ${colour}, ${scheme}: ${contrast}`);
      if (contrastOf(colour, backgrounds[scheme]) >= 4.5) assert.equal(text, colour);
      // One step of 255 changes the contrast by less than this.
      else assert.ok(contrast < 4.65, `${text} for ${colour}, ${scheme}: ${contrast}`);
    }
  };
  greys.forEach(check);
  fc.assert(fc.property(anyColour, check), runs);
});

test('the backgrounds are those of the style sheet with the least contrast to links', () => {
  const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)');
  const shownOn = (text: string) =>
    ['page', 'card'].map((name) => new RegExp(`--${name}: (#\\w{6})`).exec(text)?.[1] ?? '');
  assert.deepEqual(shownOn(light).sort(byLuminance)[0], backgrounds.light);
  assert.deepEqual(shownOn(dark).sort(byLuminance)[1], backgrounds.dark);
});

test('links become darker on the light background and lighter on the dark one', () => {
  fc.assert(
    fc.property(anyColour, (colour) => {
      const { light, dark } = shadesOf(colour);
      assert.ok(luminanceOf(light.text) <= luminanceOf(colour));
      assert.ok(luminanceOf(dark.text) >= luminanceOf(colour));
      for (const text of [light.text, dark.text]) assert.equal(findColour(text), text);
    }),
    runs,
  );
});

test('examples to look at', () => {
  assert.deepEqual(shadesOf('#ffd400'), {
    light: { button: '#ffd400', onButton: '#000000', text: '#846e00' },
    dark: { button: '#ffd400', onButton: '#000000', text: '#ffd400' },
  });
  assert.deepEqual(shadesOf('#000000').light, {
    button: '#000000',
    onButton: '#ffffff',
    text: '#000000',
  });
});

test('a shop without a colour gets ours', () => {
  assert.deepEqual(shadesOf(null), shadesOf(defaultColour));
  assert.equal(shadesOf(null).light.text, defaultColour);
});

function colourOf(number: number): string {
  return `#${number.toString(16).padStart(6, '0')}`;
}
