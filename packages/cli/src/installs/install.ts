import { parseRef, type PromptAddress } from "@promptreg/core/refs";
import { promptsOf } from "../collections/index.ts";
import type { PromptSource } from "../grammar/arguments.ts";
import { InputError, Interrupted, UsageError } from "../errors.ts";
import { forEach } from "../requests/for-each.ts";
import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";
import { applyChange, isSameInstall, recoverInstalls } from "./apply.ts";
import { countInstalls } from "./count-installs.ts";
import { askedBy, findVersion } from "./find-version.ts";
import { type PlaceOptions, placeOf } from "./place.ts";
import type { Wanted } from "./plan.ts";
import { readInstalls } from "./read-install.ts";
import { type Install, readRecord } from "./record.ts";
import { reportInstalls } from "./report.ts";
import { checkTargets } from "./targets.ts";

interface Options extends PlaceOptions {
  for?: string[];
  format?: string[];
  /** Whether the registry is told. */
  record: boolean;
}

export async function install(
  context: Context,
  given: readonly PromptSource[],
  { for: tools = [], format: formats = [], record, ...options }: Options,
): Promise<void> {
  const { output } = context;
  const targets = checkTargets(tools, formats);
  const place = placeOf(context.env, options);
  await recoverInstalls(place, context.output);
  const before = await readRecord(place.record);
  const addresses = await promptsOf({ client: () => context.connect(), output }, given);
  const wanted = await readAll(context, addresses, { targets, isGlobal: place.isGlobal });
  refuseOthers(before, wanted);
  const kept = before.filter((one) => !wanted.some((other) => isSameInstall(one, other)));
  const files = await applyChange(context, place, { before, after: [...kept, ...wanted] });
  if (record) await countInstalls(context.env, () => context.connect(), wanted);
  reportInstalls(output, wanted, { before, files });
}

/** Reads all prompts before anything is written, and asks about what is yanked. */
async function readAll(
  { confirm, connectForMany, destination, holdInterrupts, output }: Context,
  addresses: readonly PromptAddress[],
  { targets, isGlobal }: { targets: readonly string[]; isGlobal: boolean },
): Promise<Wanted[]> {
  const { client } = await connectForMany();
  const { url } = await destination();
  const interrupt = holdInterrupts();
  const found = await forEach(output, "read", addresses, async (address, end) => {
    const signal = AbortSignal.any([interrupt, end]);
    const version = { ...(await findVersion(client, address, signal)), asked: askedBy(address), targets };
    return { ...version, installs: await readInstalls(client, version, { isGlobal, url }) };
  }).catch((error: unknown) => {
    throw interrupt.aborted ? stopped() : error;
  });
  if (interrupt.aborted) throw stopped();
  const yanked = found.filter(({ isYanked }) => isYanked).map(({ ref, version }) => `${ref}@${version}`);
  if (yanked.length > 0)
    await confirm(`Yanked, and should not be used: ${cell(yanked.join(", "))}. Install it nevertheless?`);
  for (const [index, { ref }] of found.entries()) {
    const { owner, slug } = addresses[index] ?? parseRef(ref);
    if (ref !== `${owner}/${slug}`)
      output.note(`${owner}/${slug} is now ${ref}. The old address still works.`);
  }
  return found.flatMap(({ installs }) => installs);
}

const stopped = () => new Interrupted("Stopped. Nothing was installed.");

/** One address leads to one prompt, but each registry has its own. */
function refuseOthers(before: readonly Install[], wanted: readonly Wanted[]): void {
  for (const { ref, id } of wanted) {
    if (before.some((one) => one.ref === ref && one.id !== id))
      throw new InputError(
        `${ref} is installed from another registry. Uninstall it first, or use that registry with --url.`,
      );
  }
  const keys = wanted.map(({ id, target }) => `${id} ${target}`);
  if (new Set(keys).size < keys.length) throw new UsageError("The command names a prompt twice.");
}
