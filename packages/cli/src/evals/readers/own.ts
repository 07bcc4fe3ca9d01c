import { InputError } from "../../errors.ts";
import type { Cut } from "./json-cut.ts";
import { type Found, jsonReader } from "./reader.ts";
import { has, type Shape } from "./shape.ts";

const ownName = "Promptreg's own JSON and JSON Lines (each result has caseKey and status)";

/** Whether this is `[]` or `{}`, in which anybody may have found nothing. */
const isEmpty = (shape: Shape) => shape.form === "json" && shape.paths.size === 1;

/** Our own JSON: a list, or `{ model?, threshold?, results }`. */
export const ownJson = jsonReader({
  name: ownName,
  tool: "promptreg",
  saysAttempts: true,
  recognises: (shape) => has(shape, "$[].caseKey") || has(shape, "$.results[].caseKey") || isEmpty(shape),
  wanted: ["$[]", "$.results[]", "$.model", "$.threshold", "$.*"],
  begin: () => {
    let count = 0;
    return { take: (cut) => takeOwn(cut, () => count++) };
  },
});

/** Our own JSON Lines. */
export const ownLines = jsonReader({
  name: ownName,
  tool: "promptreg",
  saysAttempts: true,
  recognises: (shape) => has(shape, "$.caseKey"),
  wanted: ["$"],
  begin: () => ({
    *take({ value, line }): Iterable<Found> {
      yield { place: `line ${line}`, result: value };
    },
  }),
});

function* takeOwn({ path, value, line }: Cut, next: () => number): Iterable<Found> {
  if (path === "$[]" || path === "$.results[]") yield { place: `results.${next()}`, result: value };
  else if (path === "$.model") {
    if (typeof value !== "string" && value !== null) throw new InputError("model must be text.");
    yield { header: { model: value ?? undefined } };
  } else if (path === "$.threshold") {
    if (typeof value !== "number" || !(value >= 0 && value <= 1))
      throw new InputError("threshold must be a number from 0 to 1.");
    yield { header: { threshold: value } };
  } else {
    throw new InputError(
      `line ${line}: it contains ${path.slice(2)}; only model, threshold and results are allowed.`,
    );
  }
}
