import type { Output } from "../terminal/output.ts";
import { cell, countOf } from "../terminal/text.ts";
import { type FileChange, isSameInstall } from "./apply.ts";
import type { Wanted } from "./plan.ts";
import { type Install, pathsOf } from "./record.ts";

/** Tells what is installed now, and what was done for it. */
export function reportInstalls(
  output: Output,
  installs: readonly Wanted[],
  { before, files }: { before: readonly Install[]; files: readonly FileChange[] },
): void {
  const { bold, dim, green } = output.colors;
  const results = installs.map((install) => {
    const { ref, target, version, asked } = install;
    const from = before.find((one) => isSameInstall(one, install))?.version ?? null;
    const own = new Set(pathsOf(install));
    const changed = files.filter(({ path, status }) => own.has(path) && status !== "unchanged");
    const status =
      from === null
        ? "installed"
        : from !== version
          ? "updated"
          : changed.length > 0
            ? "written"
            : "unchanged";
    return { ref, for: target, asked, from, versionNumber: version, status, paths: [...own].sort() };
  });
  const words = {
    installed: () => green("installed"),
    updated: (from: number | null) => green(`updated from ${from}`),
    written: () => green("written again"),
    unchanged: () => dim("already installed"),
  };
  output.result({ installs: results, files }, () =>
    results
      .map(({ ref, for: target, versionNumber, from, status, paths }) => {
        const where = paths.length === 1 ? cell(paths[0] ?? "") : countOf(paths.length, "file");
        return `${bold(cell(`${ref}@${versionNumber}`))} ${words[status as keyof typeof words](from)} for ${target}: ${where}`;
      })
      .join("\n"),
  );
}
