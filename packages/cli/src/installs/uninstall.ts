import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { applyChange, recoverInstalls } from "./apply.ts";
import { chooseInstalls, type Choice } from "./choose.ts";
import { type PlaceOptions, placeOf } from "./place.ts";
import { readRecord } from "./record.ts";

/** Needs no registry. */
export async function uninstall(
  context: Context,
  addresses: readonly PromptAddress[],
  { keepChanged = false, ...options }: PlaceOptions & Choice & { keepChanged?: boolean },
): Promise<void> {
  const { output } = context;
  const place = placeOf(context.env, options);
  await recoverInstalls(place, context.output);
  const before = await readRecord(place.record);
  const chosen = chooseInstalls(before, addresses, { ...options, record: place.record });
  const after = before.filter((one) => !chosen.includes(one));
  const files = await applyChange(context, place, { before, after }, { keepsChanged: keepChanged });
  const results = chosen.map(({ ref, target, version }) => ({ ref, for: target, versionNumber: version }));
  const { bold } = output.colors;
  output.result({ uninstalled: results, files }, () =>
    results
      .map(
        ({ ref, for: target, versionNumber }) =>
          `${bold(`${ref}@${versionNumber}`)} uninstalled for ${target}`,
      )
      .join("\n"),
  );
}
