import * as z from "zod";
import { describeIssue } from "../language/describe-issue.ts";
import { type Json, requiredText, type Variable, valueProblem, variableTypes } from "../template/variable.ts";
import { arrayOf, issueLines, unknownKeys } from "./entry-issues.ts";

export type { Variable, VariableType } from "../template/variable.ts";

const maxVariables = 50;

const optionText = z
  .union([z.string(), z.number(), z.boolean()], { error: "must be text" })
  .transform(String);
const length = z.int().min(0);

/** A variable as an author declares it. Other keys are ignored, with a warning. */
const Declaration = z
  .object({
    name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, {
      error: "must be a letter or _, then letters, digits or _: at most 64 characters",
    }),
    type: z.enum(variableTypes).default("text"),
    description: z.string().optional(),
    required: z.boolean().default(true),
    default: z.custom<Json>().default(null),
    options: arrayOf(optionText, { min: 1 }).optional(),
    minLength: length.optional(),
    maxLength: length.optional(),
    min: z.number().optional(),
    max: z.number().optional(),
    example: z.custom<Json>().optional(),
  })
  .superRefine((variable, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: "custom", path: [key], message });
    const { type, options, minLength = 0, maxLength = Infinity, min = -Infinity, max = Infinity } = variable;
    if ((type === "enum") !== (options !== undefined))
      refuse("options", "belong to an enum, and an enum needs them");
    if (new Set(options).size !== (options?.length ?? 0)) refuse("options", "hold a value twice");
    if (minLength > maxLength) refuse("minLength", "is greater than maxLength");
    if (min > max) refuse("min", "is greater than max");
    const problem = variable.default === null ? undefined : valueProblem(variable, variable.default);
    if (problem !== undefined) refuse("default", problem);
  });

/** The variables of a version. Messages begin with the path, as in `variables.2.default: …`. */
export interface ReadVariables {
  variables: Variable[];
  problems: string[];
  warnings: { code: "unknown_key" | "unused_variable"; message: string }[];
}

/**
 * Reads the declarations: a list of variables, or a map from their names. Adds the placeholders that are used and not
 * declared: as required text, or as optional text if they are `implicit`.
 */
export function readVariables(
  declared: Json | undefined,
  used: readonly string[],
  implicit: readonly string[] = [],
): ReadVariables {
  const declarations = listOf(declared ?? []);
  const result: ReadVariables = { variables: [], problems: [], warnings: [] };
  if (declarations === null) {
    result.problems.push("variables: must be a list of variables, a map from names to them, or false");
    return result;
  }
  const names = new Set<string>();
  for (const [index, declaration] of declarations.slice(0, maxVariables).entries()) {
    readDeclaration(declaration, `variables.${index}`, names, result);
  }
  for (const name of used) {
    if (names.has(name) || result.variables.length > maxVariables) continue;
    result.variables.push({ ...requiredText(name), required: !implicit.includes(name) });
  }
  if (Math.max(declarations.length, result.variables.length) > maxVariables) {
    result.problems.push(`variables: a prompt has at most ${maxVariables}`);
  }
  const usedNames = new Set(used);
  for (const name of names) {
    if (usedNames.has(name)) continue;
    const message = `The variable ${name} is declared, but {{${name}}} does not occur in any text.`;
    result.warnings.push({ code: "unused_variable", message });
  }
  return result;
}

function readDeclaration(declaration: Json, at: string, names: Set<string>, result: ReadVariables): void {
  const parsed = Declaration.safeParse(declaration, { error: describeIssue });
  if (!parsed.success) {
    result.problems.push(...issueLines(parsed.error, at));
    return;
  }
  const variable = parsed.data;
  if (names.has(variable.name)) result.problems.push(`${at}.name: ${variable.name} is declared twice`);
  else result.variables.push(variable);
  names.add(variable.name);
  const unknown = unknownKeys(Declaration.shape, declaration, at);
  if (unknown !== undefined) result.warnings.push({ code: "unknown_key", message: unknown });
}

function listOf(declared: Json): Json[] | null {
  if (Array.isArray(declared)) return declared;
  if (typeof declared !== "object" || declared === null) return null;
  return Object.entries(declared).map(([name, rest]) =>
    typeof rest === "object" && !Array.isArray(rest) ? { ...rest, name } : rest,
  );
}
