import type { Context } from "../settings/context.ts";
import { InputError, UsageError } from "../errors.ts";
import { readInput } from "../terminal/read-input.ts";

/** The secret of a webhook, from where no other process can read it. */
export async function readSecret(
  { env, stdin, ask }: Pick<Context, "env" | "stdin" | "ask">,
  file: string | undefined,
): Promise<string> {
  const given =
    file === undefined
      ? env["PROMPTREG_WEBHOOK_SECRET"] || (await ask?.secret("The webhook secret (whsec_…)"))
      : await readInput(file, stdin);
  if (given === undefined) {
    throw new UsageError(
      "The webhook secret is missing. Give it in a file (--secret-file) or in PROMPTREG_WEBHOOK_SECRET.",
    );
  }
  const secret = given.trim();
  if (!/^whsec_[!-~]+$/.test(secret)) {
    throw new InputError("Write the whole secret, whsec_…, as it was shown at creation.");
  }
  return secret;
}
