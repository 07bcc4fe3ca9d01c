import { leftRuns } from "../disk/runs.ts";
import { InputError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { countOf } from "../terminal/text.ts";
import { type PlaceOptions, placeOf } from "./place.ts";
import { partsOf } from "./plan.ts";
import { type Install, readRecord } from "./record.ts";
import { stepFor } from "./steps.ts";

/** Needs no registry. */
export async function installed({ env, output }: Context, options: PlaceOptions): Promise<void> {
  const { root, record } = placeOf(env, options);
  const left = await leftRuns(root);
  for (const draft of left)
    output.note(`${draft}: a command was killed while it wrote here. The next one that writes undoes it.`);
  const installs = (await readRecord(record)).map((install) => {
    const { ref, target, asked, version } = install;
    return { ref, for: target, asked, versionNumber: version, files: filesOf(root, install) };
  });
  const { bold, yellow } = output.colors;
  output.result({ installs }, () =>
    output.table(
      ["prompt", "version", "asked for", "tool", "files"],
      installs.map(({ ref, for: target, asked, versionNumber, files }) => {
        const [changed, missing] = ["changed", "missing"].map((word) => {
          const count = files.filter(({ status }) => status === word).length;
          return count > 0 ? yellow(`, ${count} ${word}`) : "";
        });
        return [
          bold(ref),
          String(versionNumber),
          asked,
          target,
          `${countOf(files.length, "file")}${changed}${missing}`,
        ];
      }),
    ),
  );
  if (installs.length === 0 && !output.isJson) output.note("Nothing is installed here.");
}

function filesOf(root: string, install: Install) {
  return partsOf(install).map(({ path, section, sha256 }) => ({
    path,
    status: statusOf(root, { path, section, known: sha256, content: null }),
  }));
}

function statusOf(
  root: string,
  piece: Parameters<typeof stepFor>[2][number],
): "installed" | "changed" | "missing" {
  try {
    const step = stepFor(root, piece.path, [piece]);
    if (step === undefined || step.status === "same") return "missing";
    return step.status === "old" ? "installed" : "changed";
  } catch (error) {
    // Something that is no file took its place.
    if (error instanceof InputError) return "changed";
    throw error;
  }
}
