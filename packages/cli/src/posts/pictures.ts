/** Where a picture of a Markdown text names what it shows. */
interface Target {
  start: number;
  end: number;
  /** As it is meant: without escapes. */
  target: string;
}

/** Puts other targets into the pictures of a text; undefined leaves one as it is. */
export function retarget(markdown: string, other: (target: string) => string | undefined): string {
  let text = "";
  let done = 0;
  for (const { start, end, target } of targetsIn(markdown)) {
    const now = other(target);
    if (now === undefined) continue;
    text += markdown.slice(done, start) + now;
    done = end;
  }
  return text + markdown.slice(done);
}

/** A target that is a path, without its `./`; null for an address. */
export const pathOf = (target: string): string | null =>
  target === "" || /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target) ? null : target.replace(/^(?:\.\/)+/, "");

/** A path as a target: spaces and brackets would end it. */
export const targetOf = (path: string): string =>
  path.replace(
    /[\s()<>\\%]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );

/** The media that a text shows. */
export const mediaIn = (markdown: string): string[] =>
  [...targetsIn(markdown)].flatMap(
    ({ target }) => /^media:(med_[0-9a-hjkmnp-tv-z]{26})$/.exec(target)?.[1] ?? [],
  );

const opening = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;
const closing = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;

/** The targets of `![alt](target)`, but in code. Each character is read a few times at most, whatever the text is. */
export function* targetsIn(markdown: string): Generator<Target> {
  let fence = "";
  let paragraph = 0;
  let at = 0;
  for (const line of markdown.split("\n")) {
    const end = at + line.length;
    if (fence !== "") {
      if (closing.exec(line)?.[1]?.startsWith(fence)) fence = "";
      paragraph = end + 1;
    } else {
      fence = opening.exec(line)?.[1] ?? "";
      if (fence !== "" || line.trim() === "") {
        yield* targetsOf(markdown.slice(paragraph, at), paragraph);
        paragraph = end + 1;
      }
    }
    at = end + 1;
  }
  yield* targetsOf(markdown.slice(paragraph), paragraph);
}

/** The same of a paragraph, which begins at `offset`. */
function* targetsOf(text: string, offset: number): Generator<Target> {
  const ends = codeEnds(text);
  // Of each bracket that is open, whether a picture begins with it.
  const open: boolean[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === "`") at = (ends.get(at) ?? at + 1) - 1;
    else if (char === "!" && text[at + 1] === "[") {
      open.push(true);
      at += 1;
    } else if (char === "[") open.push(false);
    else if (char === "]" && open.pop() && text[at + 1] === "(") {
      const found = targetAt(text, at + 2);
      if (found === null) continue;
      yield { ...found, start: offset + found.start, end: offset + found.end };
      at = found.end - 1;
    }
  }
}

/** Where code that begins with backticks ends: behind the next as many, else behind themselves. */
function codeEnds(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<number, number>();
  for (const { index, 0: run } of [...text.matchAll(/`+/g)].reverse()) {
    const end = index + run.length;
    ends.set(index, next.get(run.length) ?? end);
    next.set(run.length, end);
  }
  return ends;
}

/** As in Markdown itself: more open brackets are no target, and nobody searches for their ends. */
const maxOpen = 32;

/** The target that begins at a place behind `](`; null if there is none. */
function targetAt(text: string, from: number): Target | null {
  let start = from;
  while (/\s/.test(text[start] ?? "")) start += 1;
  const isQuoted = text[start] === "<";
  let depth = 0;
  let end = isQuoted ? start + 1 : start;
  for (; end < text.length; end += 1) {
    const char = text[end] ?? "";
    if (char === "\\") end += 1;
    else if (isQuoted ? /[<>\n]/.test(char) : /\s/.test(char)) break;
    else if (!isQuoted && char === "(") {
      depth += 1;
      if (depth > maxOpen) return null;
    } else if (!isQuoted && char === ")") {
      if (depth === 0) break;
      depth -= 1;
    }
  }
  if (isQuoted && text[end] !== ">") return null;
  const target = isQuoted ? text.slice(start + 1, end) : text.slice(start, end);
  if (isQuoted) end += 1;
  let after = end;
  while (/\s/.test(text[after] ?? "")) after += 1;
  // A title may follow.
  const isWhole = text[after] === ")" || (after > end && /["'(]/.test(text[after] ?? ""));
  return isWhole && depth === 0 ? { start, end, target: meaningOf(target) } : null;
}

function meaningOf(target: string): string {
  const unescaped = target.replace(/\\([!-/:-@[-`{-~])/g, "$1");
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}
