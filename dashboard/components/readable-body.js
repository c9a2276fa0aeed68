/** A body with one field on each line. The characters stay as they are: no number is read and written again. */

/** @param {string} body JSON or form data. */
export function readable(body) {
  if (isJson(body)) return indent(body);
  return /^[^\s=&]+=/.test(body) ? formLines(body) : body;
}

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} json */
function indent(json) {
  let depth = 0;
  let indented = '';
  // Strings, brackets and commas, and everything between them.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '}' || token === ']') {
      depth -= 1;
      indented += isOpened(indented) ? token : newLine(depth) + token;
    } else {
      indented += isOpened(indented) ? newLine(depth) + token : token;
    }
    if (token === '{' || token === '[') depth += 1;
    else if (token === ',') indented += newLine(depth);
    else if (token === ':') indented += ' ';
  }
  return indented;
}

/** @param {string} text True right behind an opening bracket. */
function isOpened(text) {
  return text.endsWith('{') || text.endsWith('[');
}

/** @param {number} depth */
function newLine(depth) {
  return `\n${'  '.repeat(depth)}`;
}

/** @param {string} form */
function formLines(form) {
  return form
    .split('&')
    .map((pair) => {
      const text = pair.replaceAll('+', ' ');
      try {
        return decodeURIComponent(text).replace('=', ' = ');
      } catch {
        return text;
      }
    })
    .join('\n');
}
