/** Bodies of deliveries for people: indented, with every number exactly as it was received. */

/**
 * JSON is indented as it is: parsed and printed, `118.00` would become another text. Form data is one field in each line.
 * What is neither stays.
 * @param {string} body
 */
export function bodyText(body) {
  const text = body.trim();
  if (isJson(text)) return indent(text);
  if (!/^[^\s=&]+=/.test(text)) return body;
  return text.split('&').map(decode).join('\n');
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

/** @param {string} pair */
function decode(pair) {
  try {
    return decodeURIComponent(pair.replaceAll('+', ' ').replace('=', ' = '));
  } catch {
    return pair;
  }
}

/** @param {string} json */
function indent(json) {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  // Whole strings first, so that a bracket inside one is no bracket.
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g) ?? [];
  let text = '';
  for (const [index, token] of tokens.entries()) {
    const isEmpty = token === '{' || token === '[' ? isEnd(tokens[index + 1]) : false;
    if (token === '{' || token === '[') {
      depth += 1;
      text += isEmpty ? token : token + line();
    } else if (isEnd(token)) {
      const wasEmpty = tokens[index - 1] === '{' || tokens[index - 1] === '[';
      depth = Math.max(0, depth - 1);
      text += wasEmpty ? token : line() + token;
    } else if (token === ',') text += token + line();
    else text += token === ':' ? ': ' : token;
  }
  return text;
}

/** @param {string | undefined} token */
function isEnd(token) {
  return token === '}' || token === ']';
}
