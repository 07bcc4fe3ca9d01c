/** Each finds a part of a statement, and says what stands there instead. */
const swaps: [kind: string, part: RegExp, instead: (part: string) => string][] = [
  ["sql condition dropped", /\n[ \t]*and [^\n]*/g, () => ""],
  ["sql condition dropped", /(?<=\bwhere )[^\n`]+(?=\n[ \t]*and |`$)/g, () => "true"],
  [
    "sql condition dropped",
    / and (?!.*\bbetween\b)[\w.]+ (?:=|<>|<=?|>=?|is) (?:not )?(?:[\w.']+|\$\{[\w.]+\})/g,
    () => "",
  ],
  [
    "sql comparison",
    / (?:=|<>|<=|>=|<|>) /g,
    (part) =>
      ({ "=": " <> ", "<>": " = ", "<=": " < ", ">=": " > ", "<": " <= ", ">": " >= " })[part.trim()] ?? part,
  ],
  [
    "sql comparison",
    /\bis not null\b|\bis null\b/g,
    (part) => (part === "is null" ? "is not null" : "is null"),
  ],
  ["sql comparison", /\bnot exists\b|\bexists\b/g, (part) => (part === "exists" ? "not exists" : "exists")],
  ["sql order", / desc\b/g, () => ""],
  ["sql order", /\bleast\(|\bgreatest\(/g, (part) => (part === "least(" ? "greatest(" : "least(")],
  ["sql lock dropped", /\bfor (?:no key )?update(?: of \w+)?(?: skip locked)?/g, () => ""],
  ["sql value", /\btrue\b|\bfalse\b/g, (part) => (part === "true" ? "false" : "true")],
  // A revision is another one, whatever it grows by.
  ["sql value", /(?<![\w.'$]|revision \+ )\d+(?![\w.'])/g, (part) => String(Number(part) + 1)],
];

/** The changes of a template that holds a statement, or a part of one; it begins at `offset`. */
export function changesInSql(template: string, offset: number) {
  // What JavaScript puts in is no SQL; its length stays, so that places fit.
  const text = template.replaceAll(
    /\$\{(?:[^{}]|\{[^{}]*\})*\}/g,
    (hole) => `\${${"x".repeat(hole.length - 3)}}`,
  );
  const found = swaps.flatMap(([kind, part, instead]) =>
    Array.from(text.matchAll(part), ({ 0: match, index }) => ({
      kind,
      start: offset + index,
      end: offset + index + match.length,
      text: instead(match),
      match,
    })),
  );
  return found.filter(({ match }) => isWhole(match)).map(({ match: _, ...change }) => change);
}

/** Whether a part ends no parenthesis and no condition that began outside of it, or the other way round. */
function isWhole(part: string): boolean {
  if (/\b(?:case|when|then|else|between)\b/.test(part)) return false;
  if (/^(?:least|greatest)\($/.test(part)) return true;
  let depth = 0;
  for (const char of part) {
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
