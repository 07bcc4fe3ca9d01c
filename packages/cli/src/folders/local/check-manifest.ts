// Loaded when a manifest was read, since schemas take long to load.
import { describeIssue, Manifest } from "@promptreg/core";
import { InputError } from "../../errors.ts";
import { didYouMean } from "../../terminal/did-you-mean.ts";

/**
 * Applies the registry's own rules to a manifest.
 * @throws {InputError} that names each field which breaks a rule.
 */
export function checkManifest(value: Record<string, unknown>, file: string): Manifest {
  const parsed = Manifest.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, mostProblems).flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.slice(0, mostProblems).map((key) => ({
          path: key,
          message: `is unknown.${didYouMean(key, manifestKeys)}`,
        }))
      : [problemOf(value, issue)],
  );
  throw new InputError(`${file} is not a valid manifest.`, problems);
}

/** Whoever mends so many sees the others next. */
const mostProblems = 20;

/** Of a list the item is told that is wrong; it may be long, or what it must not be. */
function problemOf(
  value: Record<string, unknown>,
  { path, message }: { path: PropertyKey[]; message: string },
) {
  const [field = "", index] = path.map(String);
  if (index === undefined) return { path: field, message };
  const item = JSON.stringify((value[field] as Record<string, unknown>)[index]);
  return { path: field, message: `${item.length > 40 ? `${item.slice(0, 20)}…` : item} ${message}` };
}

const manifestKeys = Object.keys({
  $schema: true,
  prompt: true,
  kind: true,
  title: true,
  summary: true,
  tags: true,
  license: true,
  visibility: true,
  rating: true,
  source: true,
  from: true,
  fromHash: true,
} satisfies Record<keyof Manifest, true>);
