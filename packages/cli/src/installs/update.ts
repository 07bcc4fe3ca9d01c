import type { Client } from "../requests/client.ts";
import { ApiError } from "@promptreg/core/errors";
import { parseRef, type PromptAddress } from "@promptreg/core/refs";
import { CheckError, Interrupted } from "../errors.ts";
import { forEach } from "../requests/for-each.ts";
import { type Caller, missing } from "../requests/unseen.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell, countOf } from "../terminal/text.ts";
import { applyChange, isSameInstall, recoverInstalls } from "./apply.ts";
import { type Choice, chooseInstalls } from "./choose.ts";
import { findVersion } from "./find-version.ts";
import { type Place, type PlaceOptions, placeOf } from "./place.ts";
import { readInstalls, type Wish } from "./read-install.ts";
import { type Install, readRecord } from "./record.ts";

interface Options extends PlaceOptions, Choice {
  check?: boolean;
}

/** One install beside what its label or the latest version says now. */
interface Standing {
  install: Install;
  /** Its address now. */
  ref: string;
  to: number | null;
  status: "current" | "outdated" | "gone";
  notes: string[];
}

export async function update(
  context: Context,
  addresses: readonly PromptAddress[],
  { check = false, ...options }: Options,
): Promise<void> {
  const { connectForMany, holdInterrupts, output } = context;
  const place = placeOf(context.env, options);
  if (!check) await recoverInstalls(place, context.output);
  const before = await readRecord(place.record);
  const chosen = chooseInstalls(before, addresses, { ...options, record: place.record });
  const { client } = await connectForMany();
  const interrupt = holdInterrupts();
  const groups = [...Map.groupBy(chosen, ({ ref, asked }) => `${ref}@${asked}`)];
  const compared = await forEach(output, "asked", groups, ([address, installs], end) =>
    compare(client, context, address, installs, AbortSignal.any([interrupt, end])),
  ).catch((error: unknown) => {
    throw interrupt.aborted ? stopped() : error;
  });
  const standings = compared.flat();
  for (const note of new Set(standings.flatMap(({ notes }) => notes))) output.note(note);
  const files = check ? [] : await bring(context, client, place, { before, standings, interrupt });
  report(output, standings, { check, files });
  refuse(standings, check);
}

const stopped = () => new Interrupted("Stopped. Nothing was updated.");

/** Asks once for the installs of an address, which may be for several tools. */
async function compare(
  client: Client,
  caller: Caller,
  address: string,
  installs: readonly Install[],
  signal: AbortSignal,
): Promise<Standing[]> {
  const gone = (note: string) =>
    installs.map((install): Standing => {
      const { ref } = install;
      return { install, ref, to: null, status: "gone", notes: [`${ref}: ${note}`] };
    });
  try {
    const { id, ref, version: to, isYanked } = await findVersion(client, parseRef(address), signal);
    if (installs.some((install) => install.id !== id))
      return gone("this registry has another prompt there. Use the one it came from with --url.");
    return installs.map((install): Standing => {
      const notes = [
        ...(isYanked ? [`${install.ref}: version ${to} is yanked. It should not be used.`] : []),
        ...(ref === install.ref ? [] : [`${install.ref} is now ${ref}.`]),
      ];
      const isCurrent = to === install.version && ref === install.ref;
      return { install, ref, to, status: isCurrent ? "current" : "outdated", notes };
    });
  } catch (error) {
    return gone((await missing(error, caller, address)).message);
  }
}

/** What cannot be found stays as it is; all others come to their versions together, or not at all. */
async function bring(
  context: Context,
  client: Client,
  place: Place,
  {
    before,
    standings,
    interrupt,
  }: { before: readonly Install[]; standings: readonly Standing[]; interrupt: AbortSignal },
) {
  const outdated = standings.filter(({ status }) => status === "outdated");
  const groups = Map.groupBy(outdated, ({ ref, to, install }) => `${ref}@${to} ${install.asked}`);
  const { url } = await context.destination();
  const read = await forEach(context.output, "read", [...groups.values()], (group) =>
    readInstalls(client, wishOf(group), { isGlobal: place.isGlobal, url }),
  );
  if (interrupt.aborted) throw stopped();
  const wanted = read.flat();
  const kept = before.filter((one) => !wanted.some((other) => isSameInstall(one, other)));
  return applyChange(context, place, { before, after: [...kept, ...wanted] });
}

function wishOf(group: readonly Standing[]): Wish {
  const [{ install, ref, to }] = group as [Standing];
  const targets = group.map((one) => one.install.target);
  return { ref, version: to ?? install.version, asked: install.asked, targets };
}

function report(
  output: Output,
  standings: readonly Standing[],
  { check, files }: { check: boolean; files: readonly object[] },
): void {
  const { bold, dim, green, yellow } = output.colors;
  const installs = standings.map(({ install, ref, to, status }) => ({
    ref,
    for: install.target,
    asked: install.asked,
    from: install.version,
    to,
    status: status === "outdated" && !check ? ("updated" as const) : status,
  }));
  const shown = installs.filter(({ status }) => status !== "current");
  const words = {
    updated: green("updated"),
    outdated: yellow("outdated"),
    gone: yellow("gone"),
    current: "",
  };
  output.result({ installs, files }, () =>
    shown.length === 0
      ? dim(`${countOf(installs.length, "install")}, none outdated`)
      : output.table(
          ["prompt", "tool", "version", ""],
          shown.map(({ ref, for: target, from, to, status }) => [
            bold(cell(ref)),
            target,
            `${from} → ${to ?? "none"}`,
            words[status],
          ]),
        ),
  );
}

function refuse(standings: readonly Standing[], check: boolean): void {
  const behind = standings.filter(({ status }) => status !== "current");
  if (check && behind.length > 0)
    throw new CheckError(`${behind.length} of ${standings.length} installs are outdated or gone.`);
  const gone = standings.filter(({ status }) => status === "gone");
  if (gone.length === 0) return;
  const [first] = gone;
  throw new ApiError({
    code: "not_found",
    status: 404,
    message: `${gone.length} of ${standings.length} installs cannot be updated. Their files stay. \`promptreg uninstall ${first?.install.ref}\` removes it.`,
    details: [],
  });
}
