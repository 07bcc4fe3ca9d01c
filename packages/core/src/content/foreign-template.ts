import { placeholders } from "../template/render.ts";

/** Marks of other template languages. Alternatives are bounded or exclude each other, so that the scan is linear. */
const token = /\\?\{\{\{?[^{}\n]{0,200}\}\}\}?|\{%[^%\n]{0,200}%\}|<%[^%\n]{0,200}%>/g;

/** Words that stand alone in braces and are logic there. */
const words = /^\{\{[ \t]*(?:else|this|end|endif|endfor)[ \t]*\}\}$/;

/** What a mark is called, and null for what is ours or plain text. */
function languageOf(mark: string): string | null {
  if (mark.startsWith("\\")) return null;
  if (mark.startsWith("{%")) return "a tag of Jinja or Liquid";
  if (mark.startsWith("<%")) return "a tag of EJS or ERB";
  if (/^\{\{[ \t]*[#/^>!][^{}]*\}\}$/.test(mark) || words.test(mark))
    return "logic of Handlebars or Mustache";
  if (/^\{\{\{[ \t]*[A-Za-z_]\w*[ \t]*\}\}\}$/.test(mark)) return "a value of Handlebars that is not escaped";
  return /^\{\{[^{}|]*[\w)\]"'][ \t]*\|[ \t]*[A-Za-z][^{}]*\}\}$/.test(mark)
    ? "a filter of Jinja or Liquid"
    : null;
}

const most = 5;

/**
 * Sentences about template syntax of others in a text: it is not filled in, and what looks like one of our placeholders is
 * filled in though it was not meant. `firstLine` is the number of the text's first line in its file.
 */
export function foreignTemplates(text: string, firstLine: number): string[] {
  const found: string[] = [];
  let line = firstLine;
  let counted = 0;
  let count = 0;
  for (const { 0: mark, index } of text.matchAll(token)) {
    const language = languageOf(mark);
    if (language === null) continue;
    count += 1;
    if (count > most) continue;
    for (; counted < index; counted += 1) if (text.charCodeAt(counted) === 0x0a) line += 1;
    const isVariable = placeholders(mark).length > 0;
    found.push(
      `Line ${line}: ${mark} is ${language}. ` +
        (isVariable
          ? `Here it is a variable: write \\${mark} if it is text.`
          : "Nothing fills it in here: it stays as text."),
    );
  }
  return count > most
    ? [...found, `There are ${count - most} more marks of other template languages.`]
    : found;
}
