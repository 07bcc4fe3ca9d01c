import type { FormatPrompt } from "./format.ts";

/** When a rule holds, as its author wrote it. */
export interface RuleScope {
  globs: string[];
  /** Undefined: the author did not say. */
  alwaysApply: boolean | undefined;
  warnings: string[];
}

/** Patterns that no list of a tool could tell from several, or from its own syntax. */
const isListable = (glob: string): boolean => /^[^\s,:#"'`{}\p{Cc}\u2028\u2029]+$/u.test(glob);

const maxGlobs = 100;

/** The scope of a rule. Braces are written out, since most tools split their lists at commas. */
export function scopeOf({ data }: FormatPrompt): RuleScope {
  const texts = Array.isArray(data["globs"]) ? data["globs"] : [];
  const written = texts.flatMap((glob) => (typeof glob === "string" ? expand(glob.trim()) : []));
  const globs = [...new Set(written.filter(isListable))].slice(0, maxGlobs);
  const alwaysApply = typeof data["alwaysApply"] === "boolean" ? data["alwaysApply"] : undefined;
  const areLost = globs.length < new Set(written).size;
  return {
    globs,
    alwaysApply,
    warnings: areLost ? ["Some globs are left out. Lists of globs cannot hold them."] : [],
  };
}

/** Without a comma they stand for themselves. */
const braces = /^([^{}]*)\{([^{},]*,[^{}]*)\}(.*)$/s;

/** Writes out `{a,b}`. What is nested, or would give more than `maxGlobs`, stays as it is. */
function expand(glob: string): string[] {
  let all = [glob];
  // What is left to write out is the same in all of them.
  while (all.length <= maxGlobs && glob.length < 500 && braces.test(all[0]!)) {
    all = all.flatMap((one) => {
      const [, before = "", choices = "", after = ""] = braces.exec(one) ?? [];
      return choices.split(",").map((choice) => `${before}${choice}${after}`);
    });
  }
  return all.length > maxGlobs ? [glob] : all;
}
