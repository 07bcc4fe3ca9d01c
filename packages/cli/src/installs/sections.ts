import { InputError } from "../errors.ts";

const begin = (ref: string) => `<!-- promptreg:begin ${ref} -->`;
const end = (ref: string) => `<!-- promptreg:end ${ref} -->`;

/** The text of a prompt between its marks in a shared file; undefined where it is not there. */
export function sectionOf(text: string, ref: string): string | undefined {
  const found = find(text, ref);
  return found && text.slice(found.from + begin(ref).length + 1, found.to - end(ref).length - 1);
}

/** Puts the text of a prompt in the place of what it had, or at the end. All else stays byte for byte. */
export function putSection(text: string, ref: string, content: string): string {
  if (/<!-- promptreg:(begin|end) /.test(content))
    throw new InputError(`${ref} contains a mark of promptreg, and cannot stand in a shared file.`);
  const section = `${begin(ref)}\n${content}\n${end(ref)}`;
  const found = find(text, ref);
  if (found) return text.slice(0, found.from) + section + text.slice(found.to);
  const gap = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  return `${text}${gap}${section}\n`;
}

/** Takes the text of a prompt out, with the empty line before it. */
export function removeSection(text: string, ref: string): string {
  const found = find(text, ref);
  if (!found) return text;
  const [before, after] = [text.slice(0, found.from), text.slice(found.to)];
  return before.replace(/\n$/, "") + (before === "" ? after.replace(/^\n+/, "") : after.replace(/^\n/, ""));
}

function find(text: string, ref: string): { from: number; to: number } | undefined {
  const from = text.indexOf(begin(ref));
  const to = text.indexOf(end(ref), from);
  return from === -1 || to === -1 ? undefined : { from, to: to + end(ref).length };
}
