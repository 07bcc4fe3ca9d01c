// Loaded when a manifest was read, since schemas take long to load.
import { describeIssue, Manifest } from "@promptreg/core";
import { InputError } from "../errors.ts";
import { didYouMean } from "../near.ts";

/**
 * Applies the registry's own rules to a manifest.
 * @throws {InputError} that names each field which breaks a rule.
 */
export function checkManifest(value: Record<string, unknown>, file: string): Manifest {
  const parsed = Manifest.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, mostTold).flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.slice(0, mostTold).map((key) => ({
          path: key,
          message: `means nothing here.${didYouMean(key, manifestKeys)}`,
        }))
      : [{ path: issue.path.join("."), message: issue.message }],
  );
  throw new InputError(`${file} does not say what it should.`, problems);
}

/** Whoever mends so many sees the others next. */
const mostTold = 20;

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
} satisfies Record<keyof Manifest, true>);
