import { rm } from "node:fs/promises";
import type { SeriesRecord } from "@promptreg/core/account";
import { makeScratch } from "../disk/scratch.ts";
import { exitCodes } from "../exit-codes.ts";
import { Interrupted } from "../errors.ts";
import { missingReadScope } from "../requests/unseen.ts";
import type { Context } from "../settings/context.ts";
import { countOf } from "../terminal/text.ts";
import { type Checked, checkArchive } from "./import/check.ts";
import { CommentImport } from "./import/comments.ts";
import { bringMake } from "./import/makes.ts";
import {
  bringCollection,
  bringProfile,
  bringStar,
  bringWatch,
  type Collections,
  collectionsHere,
} from "./import/others.ts";
import { bringDataset, bringExample } from "./import/parts.ts";
import { bringPost, bringSeries, orderSeries } from "./import/posts.ts";
import { PromptImport } from "./import/prompts.ts";
import * as read from "./import/read-unit.ts";
import { attempt, type Importing } from "./import/run.ts";
import { type Unit, unitsOf } from "./import/units.ts";

interface Options {
  publish?: boolean;
  dryRun?: boolean;
}

/** The exit code says whether something else has the place of something in the archive. */
export async function importAccount(
  context: Context,
  file: string,
  { publish = false, dryRun: isDryRun = false }: Options,
): Promise<number> {
  const { output } = context;
  const signal = context.holdInterrupts();
  const { client, waiting } = await context.connectForMany();
  const me = await client.users.me.get();
  if (!me.token.scopes.includes("read")) throw missingReadScope();
  const scratch = await makeScratch();
  let now = "";
  let done = 0;
  const begin = (verb: string, total: number | undefined) =>
    output.progress(() => `${verb}: ${done}${total === undefined ? "" : ` of ${total}`}${now}${waiting()}`);
  let progress = begin("checked", undefined);
  const run: Omit<Importing, "head" | "own"> = {
    client,
    me,
    scratch,
    publish,
    isDryRun,
    tallies: {},
    leftOut: [],
    hasTaken: false,
    ids: new Map(),
    taken: { prompts: new Set(), makes: new Set() },
    brought: { prompts: new Set(), makes: new Set() },
    published: new Set(),
    closed: new Set(),
    doing: (what) => (now = `, ${what}`),
  };
  try {
    const checked = await checkArchive(file, { scratch, signal, onThing: () => (done += 1) });
    progress.end();
    if (publish) await confirmOpening(context, checked, isDryRun);
    done = 0;
    progress = begin(isDryRun ? "compared" : "imported", checked.total);
    const importing: Importing = { ...run, head: checked.head, own: checked.own };
    try {
      await bringAll(importing, file, { scratch, signal, onThing: () => (done += 1) });
    } finally {
      progress.end();
      report(context, importing, file);
    }
    return importing.hasTaken ? exitCodes.conflict[0] : 0;
  } catch (error) {
    throw signal.aborted ? new Interrupted("Stopped. Run it again to go on.") : error;
  } finally {
    progress.end();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Brings one part after the other, in the order of the archive. */
async function bringAll(
  run: Importing,
  file: string,
  options: { scratch: string; signal: AbortSignal; onThing: () => void },
): Promise<void> {
  const state: State = { series: [], postIds: new Map(), collections: [], comments: new CommentImport(run) };
  for await (const unit of unitsOf(file, options)) {
    if (options.signal.aborted) throw new Interrupted("Stopped.");
    if (["prompt", "post", "make"].includes(unit.kind)) options.onThing();
    if (!["version", "draft", "dataset", "example"].includes(unit.kind)) {
      await state.prompt?.end();
      delete state.prompt;
    }
    if (unit.kind === "prompt") {
      state.prompt = new PromptImport(run, await read.readPromptHead(unit, run.head));
      await state.prompt.begin();
    } else if (state.prompt) await bringPart(state.prompt, unit);
    else await bringOther(run, unit, state);
  }
  await orderSeries(run, state.series, state.postIds);
  await bringProfile(run);
}

/** What one part of an archive leaves for later ones. */
interface State {
  prompt?: PromptImport;
  series: SeriesRecord[];
  /** The ids of posts here, by their slugs. */
  postIds: Map<string, string>;
  collections: Collections;
  comments: CommentImport;
}

async function bringPart(prompt: PromptImport, unit: Unit): Promise<void> {
  const { record } = prompt;
  if (!prompt.isOpen) return;
  if (unit.kind === "version") {
    const { files, version } = await read.readVersion(unit, { record });
    await prompt.version(files, version);
  } else if (unit.kind === "draft") await prompt.draft((await read.readFiles(unit)).files);
  else if (unit.kind === "dataset") await bringDataset(prompt, await read.readDataset(unit));
  else await bringExample(prompt, unit.nth, await read.readExample(unit));
}

async function bringOther(run: Importing, unit: Unit, state: State): Promise<void> {
  if (unit.kind === "series") {
    state.series = await read.readSeries(unit);
    await bringSeries(run, state.series);
  } else if (unit.kind === "post") {
    const post = await read.readPostFolder(unit);
    const id = await attempt(run, `the post ${post.slug}`, () => bringPost(run, post));
    if (id) state.postIds.set(post.slug, id);
  } else if (unit.kind === "make") await bringMake(run, await read.readMakeFolder(unit));
  else if (unit.kind === "collection") {
    const nth = Number(unit.name);
    if (nth === 1) state.collections = await collectionsHere(run);
    await bringCollection(run, await read.readCollection(unit), { nth, here: state.collections });
  } else if (unit.kind === "comments")
    for await (const one of read.readComments(unit)) await state.comments.bring(one);
  else if (unit.kind === "stars") for await (const one of read.readStars(unit)) await bringStar(run, one);
  else if (unit.kind === "watches")
    for await (const one of read.readWatches(unit)) await bringWatch(run, one);
}

/** So many of a kind are named one by one. */
const mostNamed = 20;

/** Lists what others can read from then on, and asks once: to publish is a decision. */
async function confirmOpening(
  { output, confirm }: Context,
  { opened, head }: Checked,
  isDryRun: boolean,
): Promise<void> {
  const { prompts, makes, posts, collections, comments, hasProfile } = opened;
  const kinds = [
    ["prompt", prompts, "with all versions, labels and public datasets"],
    ["make", makes, "with files and gallery"],
    ["post", posts, "to be published, or submitted to moderators"],
    ["collection", collections, ""],
  ] as const;
  const told = kinds.filter(([, names]) => names.length > 0);
  for (const [kind, names, more] of told) {
    const others = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
    output.note(
      `Becomes readable to others, unless it is already: ${countOf(names.length, kind)}: ${names.slice(0, mostNamed).join(", ")}${others}${more && `, ${more}`}.`,
    );
  }
  if (comments > 0) output.note(`Among it: ${countOf(comments, "comment")}, which may mention others.`);
  if (hasProfile) output.note(`The profile of ${head.account.handle} fills what yours does not say.`);
  const all = told.map(([kind, names]) => countOf(names.length, kind));
  if (!isDryRun && (all.length > 0 || comments > 0 || hasProfile))
    await confirm(
      `Make ${all.join(", ") || (comments > 0 ? countOf(comments, "comment") : "the profile")} readable to others?`,
    );
}

/** How things are opened, where it has a word of its own. */
const openings: Record<string, string> = { posts: "submitted", makes: "published" };

function report({ output }: Context, run: Importing, file: string): void {
  const { tallies, leftOut, isDryRun } = run;
  const would = isDryRun ? "would be " : "";
  output.result({ file, dryRun: isDryRun, things: tallies, leftOut }, () => {
    const rows = Object.entries(tallies).map(([kind, { created, there, opened }]) => {
      const sums = [
        [created, `${would}brought`],
        [there, "there already"],
        [opened, `${would}${openings[kind] ?? "opened to others"}`],
      ] as const;
      const told = sums.filter(([count]) => count > 0).map((sum) => sum.join(" "));
      return [kind, told.join(", ")] as const;
    });
    return rows.length === 0 ? "Nothing was brought." : output.fields(rows);
  });
  if (output.isJson || leftOut.length === 0) return;
  output.note(`Left out: ${leftOut.length}.`);
  for (const { what, why } of leftOut) output.note(`  ${what}: ${why}.`);
}
