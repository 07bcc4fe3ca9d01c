import deprecatedExceptions from "spdx-exceptions/deprecated.json" with { type: "json" };
import exceptions from "spdx-exceptions/index.json" with { type: "json" };
import deprecatedLicenses from "spdx-license-ids/deprecated.json" with { type: "json" };
import licenses from "spdx-license-ids/index.json" with { type: "json" };

/** The official spelling of names, by their lower case. */
const byLowerCase = (names: readonly string[]) => new Map(names.map((name) => [name.toLowerCase(), name]));
const licenseIds = byLowerCase([...licenses, ...deprecatedLicenses]);
const exceptionIds = byLowerCase([...exceptions, ...deprecatedExceptions]);
const ownName = /^(?:DocumentRef-[A-Za-z0-9.-]+:)?(License|Addition)Ref-[A-Za-z0-9.-]+$/;

/** A word of an expression: a license, an exception, `o` for AND and OR, `w` for WITH, a parenthesis, or unknown. */
interface Word {
  kind: "l" | "e" | "o" | "w" | "(" | ")" | "?";
  text: string;
}

/** The valid orders of kinds. Balanced parentheses are checked separately. */
const shape = /^\(*l(?:we)?\)*(?:o\(*l(?:we)?\)*)*$/;

/** An SPDX expression in the official spelling, or its problem as the end of a sentence that begins with the field. */
export type ReadLicense = { license: string } | { problem: string };

/**
 * Reads an SPDX expression. SPDX compares names without case, so `mit` means `MIT`. Parentheses are only counted, not
 * parsed, so their depth costs nothing.
 */
export function readLicense(text: string): ReadLicense {
  const words = Array.from(text.matchAll(/[()]|[^ ()]+/g), ([word]) => readWord(word));
  const unknown = words.find(({ kind }) => kind === "?");
  if (unknown !== undefined) {
    const name = JSON.stringify(unknown.text);
    const meant = nearest(text);
    const advice = meant
      ? `did you mean ${meant}?`
      : "name a license of your own LicenseRef-…, or leave it out to reserve all rights";
    return { problem: `has ${name}, which is not on SPDX's list; ${advice}` };
  }
  const kinds = words.map(({ kind }) => kind).join("");
  if (!shape.test(kinds) || !isBalanced(kinds)) {
    return { problem: "must be an SPDX expression, such as MIT or Apache-2.0 OR (MIT AND CC-BY-4.0)" };
  }
  const license = words.map((word) => word.text).join(" ");
  return { license: license.replaceAll("( ", "(").replaceAll(" )", ")") };
}

/** Removes all differences of spelling: `Apache License, Version 2` and `Apache-2.0` become `apache2`. */
const normalized = (name: string) =>
  name
    .toLowerCase()
    .replace(/\b(the|license|licence|version|public)\b|[^a-z0-9.+]/g, "")
    .replace(/v(?=\d)/, "")
    .replace(/(\d)\.0(?!\d)/, "$1");

const byNormalized = new Map(licenses.map((name) => [normalized(name), name]));

/** The license that an author probably meant. For the GPL, it is the stricter version. */
function nearest(text: string): string | undefined {
  const name = normalized(text);
  return (
    byNormalized.get(name) ??
    byNormalized.get(`${name}only`) ??
    byNormalized.get(name.replace(/\+$/, "orlater"))
  );
}

function isBalanced(kinds: string): boolean {
  let depth = 0;
  for (const kind of kinds) {
    if (kind === "(") depth += 1;
    if (kind === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function readWord(text: string): Word {
  if (text === "(" || text === ")") return { kind: text, text };
  const lower = text.toLowerCase();
  if (lower === "and" || lower === "or") return { kind: "o", text: text.toUpperCase() };
  if (lower === "with") return { kind: "w", text: "WITH" };
  const exception = exceptionIds.get(lower);
  if (exception !== undefined) return { kind: "e", text: exception };
  const [, own] = ownName.exec(text) ?? [];
  if (own !== undefined) return { kind: own === "License" ? "l" : "e", text };
  const license = licenseIds.get(lower.replace(/\+$/, ""));
  if (license === undefined) return { kind: "?", text };
  return { kind: "l", text: lower.endsWith("+") ? `${license}+` : license };
}
