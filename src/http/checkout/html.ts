/** HTML as a type of its own: whatever is put into a template is escaped unless it is HTML already. */
export type Html = { readonly markup: string };
type Value = Html | string | number | undefined | false | readonly Html[];

/** `html\`<p>${name}</p>\`` escapes the name. Undefined and false add nothing. */
export function html(texts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { markup: String.raw({ raw: texts }, ...values.map(toMarkup)) };
}

/** Text that is HTML because we wrote it. */
export function trusted(markup: string): Html {
  return { markup };
}

/** Safe in HTML text and in quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function toMarkup(value: Value): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'object') {
    return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
  }
  return escapeHtml(String(value));
}
