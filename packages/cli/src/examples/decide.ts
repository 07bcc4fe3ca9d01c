import type { PromptAddress } from "@promptreg/core/refs";
import { resultSchema } from "../requests/result-schema.ts";
import type { Context } from "../settings/context.ts";
import { drawAnswer } from "../terminal/draw.ts";
import { cell } from "../terminal/text.ts";
import { ifUnchanged } from "../requests/if-unchanged.ts";

export const approve = (context: Context, prompt: PromptAddress, id: string): Promise<void> =>
  decide(context, prompt, { id, verb: "approve" });

export const reject = (
  context: Context,
  prompt: PromptAddress,
  id: string,
  { reason }: { reason?: string },
): Promise<void> => decide(context, prompt, { id, verb: "reject", reason });

interface Decision {
  id: string;
  verb: "approve" | "reject";
  reason?: string | undefined;
}

/** Decides on what was shown: if its author changes the example meanwhile, nothing is decided. */
async function decide(
  { connect, confirm, output }: Context,
  { owner, slug }: PromptAddress,
  { id, verb, reason }: Decision,
): Promise<void> {
  const client = await connect();
  const { data: found, response } = await client.examples.get({ owner, slug, id }).withResponse();
  const schema = resultSchema("examples.get");
  if (schema) output.draw(() => drawAnswer(found, schema, output));
  await confirm(`${verb === "approve" ? "Approve" : "Reject"} this example of ${cell(found.prompt.ref)}?`);
  const options = ifUnchanged(response);
  const decided = await (verb === "approve"
    ? client.examples.approve({ id }, options)
    : client.examples.reject({ id, body: { reason } }, options));
  const word = verb === "approve" ? "approved" : "rejected";
  output.result(decided ?? null, () => `${output.colors.bold(id)} is ${word}`);
}
