/** The layout of all pages: one style, no external resources, usable on a phone. */

/** Escaped text that is safe in a page. */
export type Html = { readonly html: string };

/** Escapes every value that is not `Html` itself. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return { html: parts.reduce((page, part, index) => page + render(values[index - 1]) + part) };
}

type HtmlValue = string | number | Html | readonly Html[] | undefined;

/** `ownStyle` is added to the style of all pages. */
export function page(title: string, body: Html, ownStyle = ''): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: style + ownStyle }}</style>
</head>
<body>
${body}
</body>
</html>
`.html;
}

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
};

const style = `
:root { color-scheme: light dark; --ink: #1d2433; --dim: #667085; --card: #fff; --back: #eef1f6; --line: #d9dee8; --go: #1a56db; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf2; --dim: #98a2b3; --card: #1b2130; --back: #10141d; --line: #313a4d; --go: #4c7dff; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 26rem; margin: 4vh auto; padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
main.wide { max-width: 64rem; margin: 0 auto; }
h1 { margin: 0; font-size: 1.25rem; } h2 { margin: 2rem 0 .5rem; font-size: 1rem; }
a { color: var(--go); } p { margin: .5rem 0; } .dim { color: var(--dim); font-size: .875rem; overflow-wrap: anywhere; }
.amount { margin: 1rem 0 1.25rem; font-size: 2.25rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.note { padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 8px; }
button { display: block; width: 100%; margin-top: .6rem; padding: .8rem; border: 1px solid var(--line); border-radius: 9px; background: none; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
button.go { background: var(--go); border-color: var(--go); color: #fff; }
button:focus-visible, select:focus-visible, input:focus-visible { outline: 3px solid var(--go); outline-offset: 2px; }
select, input { width: 100%; padding: .6rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: inherit; font: inherit; }
label { display: block; margin-top: .6rem; }
.scroll { overflow-x: auto; } table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
pre { margin: 0; overflow-x: auto; font-size: .8rem; }
`;

function render(value: HtmlValue): string {
  if (value === undefined) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value));
  return 'html' in value ? value.html : value.map(render).join('');
}

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
