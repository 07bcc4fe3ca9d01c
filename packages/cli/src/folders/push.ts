import type { Plan, Pushed, PushOptions } from "./push/types.ts";
import { countOf, quoted } from "../terminal/text.ts";
import type { Client } from "../requests/client.ts";
import { eachConcurrently } from "../requests/concurrently.ts";
import type { Context } from "../settings/context.ts";
import { Interrupted, lookAt, UsageError } from "../errors.ts";
import { originOf } from "../settings/profiles.ts";
import { changedSince } from "./local/changed-since.ts";
import { findFolders, placesToSend } from "./local/find-folders.ts";
import { findRemotes } from "./push/find-remotes.ts";
import { readPrompts } from "./compare/locate.ts";
import { refOf, confirmExposure, showExposed } from "../prompts/index.ts";
import { planPush } from "./push/plan.ts";
import { gatherResults, type Results } from "./results.ts";
import { createSelection, type Selection } from "./local/selection.ts";
import { createSuggester, type Suggester } from "./push/suggest.ts";
import { reportPush } from "./push/report.ts";

interface Options extends PushOptions {
  markdown?: boolean;
  changedSince?: string;
}

/** What the steps of one push share. */
interface Run {
  context: Context;
  client: Client;
  folders: readonly string[];
  selection: Selection;
  options: PushOptions;
  results: Results<Pushed>;
  /** Makes suggestions, if that was asked for. */
  suggester: Suggester | undefined;
  /** Aborted by Ctrl-C. */
  stop: AbortSignal;
  /** Shows how many of the folders were brought so far. */
  show: (count: () => number, done: string) => { end: () => void };
}

/** The exit code is that of the first folder that was refused. */
export async function push(
  context: Context,
  given: readonly string[],
  { markdown = false, changedSince: revision, ...options }: Options,
): Promise<number> {
  const { output } = context;
  const isDryRun = options.dryRun === true;
  if (markdown && !isDryRun) throw new UsageError("Use --markdown together with --dry-run.");
  if (isDryRun && options.suggest)
    throw new UsageError(
      "Use --suggest without --dry-run: suggestions are shown before anything is written.",
    );
  if (options.message !== undefined || options.label)
    await (await import("./local/rules.ts")).requireSending(options);
  const places = placesToSend(given);
  const selection = createSelection(places, output.note);
  const found = await findFolders(places, selection);
  const folders = revision === undefined ? found : await changedSince(found, revision);
  if (folders.length === 0) output.note("Nothing changed. There is nothing to push.");
  const results = gatherResults<Pushed>(folders);
  const stop = context.holdInterrupts();
  try {
    const { client, waiting } = await context.connectForMany();
    const show: Run["show"] = (count, done) =>
      output.progress(() => `${count()} of ${countOf(folders.length, "prompt")} ${done}${waiting()}`);
    const suggester = options.suggest ? await createSuggester(context, { selection, options }) : undefined;
    await suggester?.fillIn(folders);
    const run: Run = { context, client, folders, selection, options, results, suggester, show, stop };
    const plans = await planAll(run);
    stop.throwIfAborted();
    await suggester?.confirmMessages();
    const opened = plans.flatMap(({ pushed: { ref, opens } }) => (opens ? [{ ref, opens }] : []));
    if (isDryRun) {
      if (opened.length > 0) showExposed(output, opened);
      for (const { pushed } of plans) results.done(pushed);
    } else {
      if (opened.length > 0) await confirmExposure(context, opened);
      await sendAll(run, plans);
      if (results.soFar().length < folders.length) stop.throwIfAborted();
    }
  } catch (error) {
    const ended = results.soFar();
    const { length: unchanged } = ended.filter(({ status }) => status === "unchanged");
    const length = ended.filter(({ status }) => status !== "refused").length - unchanged;
    const howFar = `${length} of ${countOf(folders.length, "prompt")} ${length === 1 ? "was" : "were"} pushed${unchanged > 0 ? `, and ${unchanged} had no change` : ""}.`;
    if (stop.aborted) throw new Interrupted(`Stopped: ${howFar}`);
    if (length > 0) output.note(`${howFar} Run it again for the rest.`);
    throw error;
  } finally {
    // Where one failed, the others are told of nevertheless: they are in the registry.
    reportPush(results.soFar(), { isDryRun, markdown, total: folders.length }, output);
  }
  return results.exitCode();
}

/** Compares all before anything is sent; what is refused is in no plan. */
async function planAll(run: Run): Promise<Plan[]> {
  const { context, client, folders, selection, options, results, suggester, show, stop } = run;
  const { refuse } = results;
  const { ask, confirm, destination } = context;
  const isThorough = options.dryRun === true;
  const prompts = await readPrompts(folders, { isThorough, selection }, refuse);
  const mayAsk = ask !== undefined && !isThorough;
  let looked = 0;
  const looking = show(() => looked, "looked for");
  const found = await findRemotes(prompts, {
    client,
    refuse,
    owner: options.owner,
    mayAsk,
    onFound: () => void (looked += 1),
    confirm(question) {
      looking.end();
      return confirm(question);
    },
  }).finally(looking.end);
  const origin = originOf((await destination()).url);
  const plans: Plan[] = [];
  let compared = 0;
  const progress = show(() => compared, "compared");
  try {
    await eachConcurrently(
      found,
      async ({ local, address, remote }, index) => {
        compared += 1;
        try {
          plans[index] = await planPush(
            { client, origin, options, suggestMessage: suggester?.messageOf },
            local,
            { address, remote },
          );
        } catch (error) {
          refuse(local.folder, error, refOf(address));
        }
      },
      stop,
    );
  } finally {
    progress.end();
  }
  return plans.flat();
}

async function sendAll(
  { context: { output }, results, suggester, show, stop }: Run,
  plans: readonly Plan[],
): Promise<void> {
  let done = 0;
  const progress = show(() => done, "pushed");
  try {
    await eachConcurrently(
      plans,
      async ({ pushed: { folder, ref }, sent, send }) => {
        try {
          const pushed = await lookAt(send(), `promptreg status ${quoted(folder)}`);
          const suggested = suggester?.takenOver(folder);
          results.done(suggested ? { ...pushed, suggested } : pushed);
          done += 1;
        } catch (error) {
          if (sent.length > 0) output.note(`${folder}: ${sent.join(" and ")} sent before the error.`);
          results.refuse(folder, error, ref);
        }
      },
      stop,
    );
  } finally {
    progress.end();
  }
}
