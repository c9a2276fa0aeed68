/**
 * The commands and answers of a document, in order. A block of `sh` is run, one of `sql` by a superuser. A block of
 * `json` or `text` right after commands is their answer. Blocks of `console` are examples that cannot run here.
 */

export type Step =
  | { readonly kind: 'run'; readonly text: string; readonly answer?: Answer }
  | { readonly kind: 'sql'; readonly text: string }
  /** `<!-- test: … -->`: what a reader does by hand. */
  | { readonly kind: 'by-hand'; readonly text: string };

export type Answer = { readonly language: string; readonly text: string };

export function listSteps(markdown: string): Step[] {
  const steps: Step[] = [];
  let stepEnd = 0;
  const blocks = markdown.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$|^<!-- test: (.*) -->$/gm);
  for (const block of blocks) {
    const [whole, indent = '', language, indented = '', byHand] = block;
    const isNext = markdown.slice(stepEnd, block.index).trim() === '';
    stepEnd = block.index + whole.length;
    const text = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (byHand !== undefined) steps.push({ kind: 'by-hand', text: byHand });
    else if (language === 'sh') steps.push({ kind: 'run', text });
    else if (language === 'sql') steps.push({ kind: 'sql', text });
    else if (isNext) addAnswer(steps, { language: language ?? '', text });
  }
  return steps;
}

/**
 * The blocks of `console` of a document, each of which somebody has to take: a test that runs it, or a list of those that
 * cannot run here. Shell commands have no other language than `sh` and `console`.
 */
export function openExamples(markdown: string) {
  const fences = [...markdown.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)];
  const unknown = fences.filter(([, language = '']) => /^(bash|shell|zsh)$/.test(language));
  const left = fences.flatMap(([, language, text = '']) => (language === 'console' ? [text] : []));
  return {
    all: [...left],
    /** The one block that has this text, and that nobody has taken yet. */
    take: (part: string): string => {
      const found = left.filter((text) => text.includes(part));
      if (found.length !== 1) throw new Error(`${found.length} blocks have: ${part}`);
      left.splice(left.indexOf(found[0] as string), 1);
      return found[0] as string;
    },
    listLeft: (): string[] => [...left, ...unknown.map(([whole]) => whole)],
  };
}

function addAnswer(steps: Step[], answer: Answer): void {
  const last = steps.at(-1);
  const isAnswer = answer.language === 'json' || answer.language === 'text';
  if (!isAnswer || last?.kind !== 'run' || last.answer) return;
  steps[steps.length - 1] = { ...last, answer };
}

/** Ids and times differ each time. They are replaced by the name of their kind. */
const changing: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bo_[0-9A-Za-z]{16}-\d{12}\b/g, '<transaction>'],
  [/\b(o|acc|user|dlv)_[0-9A-Za-z]{16,}\b/g, '<$1>'],
  [/\b(pay|order|rfnd)_[0-9A-Za-z]{14}\b/g, '<$1>'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?/g, '<time>'],
  [/http:\/\/127\.0\.0\.1:\d+/g, '<url>'],
];

export function withoutIds(text: string): string {
  return changing.reduce((all, [pattern, name]) => all.replaceAll(pattern, name), text.trim());
}

/**
 * Whether a value has everything that is shown. `"…": "…"` in a shown object stands for further fields; a shown text that
 * ends with `…` for any that begins like it.
 */
export function isShown(shown: unknown, value: unknown): boolean {
  if (typeof shown === 'string' && shown.endsWith('…')) {
    return typeof value === 'string' && value.startsWith(shown.slice(0, -1));
  }
  if (typeof shown !== 'object' || shown === null) return shown === value;
  if (typeof value !== 'object' || value === null) return false;
  const wanted = Object.entries(shown).filter(([name]) => name !== '…');
  const isWhole = !('…' in shown) && Object.keys(value).length !== wanted.length;
  if (isWhole || Array.isArray(shown) !== Array.isArray(value)) return false;
  return wanted.every(([name, own]) => isShown(own, (value as Record<string, unknown>)[name]));
}
