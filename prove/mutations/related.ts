import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Some tests of one package, by their paths. */
export interface Tests {
  project: string;
  files: string[];
}

const root = join(import.meta.dirname, "../..");

/** What covers the parts of the server that everything passes through, beside the tests in their own folder. */
const everywhere = [
  "effects.test",
  "contract.test",
  "etags.test",
  "visibility.test",
  "plans.test",
  "groups/",
];
const ofServer: Record<string, string[]> = {
  "": [
    "effects.test",
    "worker.test",
    "two-servers.test",
    "story.test",
    "bad-days.test",
    "commands/",
    "kernel/",
  ],
  "kernel/": everywhere,
  "kernel/accounts/": ["commands/", ...everywhere],
  "kernel/openapi/": ["reference/", "contract.test"],
  "database/": ["kernel/", "two-servers.test", "bad-days.test", "groups/prompts/"],
  "groups/notifications/": ["groups/watch/", "groups/webhooks/", "groups/evals/"],
  "groups/contests/": ["commands/contests"],
  "groups/discord/": ["members.test"],
  "groups/installs/": ["prompts/rank.test"],
  "groups/makes/": ["prompts/rank.test", "groups/tags/"],
  "groups/media/": ["members.test"],
  "groups/posts/": ["groups/tags/"],
  "groups/prompts/": ["groups/search/", "imports/duplicates", "kernel/replicas", "write-only.test"],
  "groups/stars/": ["prompts/rank.test"],
  "groups/users/": ["kernel/", "visibility.test", "groups/prompts/"],
  "groups/webhooks/": [
    "worker.test",
    "two-servers.test",
    "story.test",
    "kernel/telemetry/",
    "kernel/rate-limits/meter",
  ],
};

/** Of a folder in one of these as of that one, the innermost; of one within a group as of the group. */
function besideOf(folder: string): string[] {
  const around = Object.keys(ofServer).filter((one) => (one === "" ? folder === "" : folder.startsWith(one)));
  const [group] = /^groups\/[\w-]+\/(?=.)/.exec(folder) ?? [];
  return [
    ...around
      .sort()
      .slice(-1)
      .flatMap((one) => ofServer[one] ?? []),
    ...(group ? [`src/${group}`] : []),
  ];
}

/**
 * The tests that are to catch a change of a file, the nearest first: those of its name or that import it, those of its
 * folder, and what else covers it. Each step is taken only where the one before let the change pass.
 */
export function testsOf(file: string): Tests[] {
  const [, project = "", path = ""] = /^packages\/(\w+)\/src\/(.*)$/.exec(file) ?? [];
  const folder = dirname(path) === "." ? "" : `${dirname(path)}/`;
  const name = basename(path).replace(/(\.sql)?\.ts$/, "");
  const steps: [project: string, paths: string[]][] =
    project === "server"
      ? [
          [project, [`src/${folder}${name}`]],
          [project, folder === "" ? [] : [`src/${folder}`]],
          [project, folder.startsWith("groups/") ? ["src/effects.test"] : []],
          [project, besideOf(folder)],
        ]
      : [
          [project, project === "cli" ? ofCommands(path) : [`src/${folder}${name}`]],
          [project, [project === "cli" ? "test/transcript" : `src/${folder}`]],
          [project, [""]],
          ["server", project === "core" ? ofContract(folder) : []],
        ];
  const tests = steps.map(([project, paths]) => ({ project, files: find(project, paths) }));
  const [nearest] = tests;
  // One of its name imports it as well.
  if (nearest) nearest.files = [...new Set([...nearest.files, ...importing(project, basename(path))])];
  return tests.filter(({ files }) => files.length > 0);
}

const find = (project: string, paths: readonly string[]) =>
  globSync(`packages/${project}/{src,test}/**/*.test.ts`, { cwd: root })
    .filter((file) => paths.some((path) => file.includes(path)))
    .sort();

/** Tests that import a file of that name, wherever they stand. */
const importing = (project: string, name: string) =>
  find(project, name === "index.ts" ? [] : [""]).filter((test) =>
    readFileSync(join(root, test), "utf8").includes(`/${name}"`),
  );

/** Most of the command line's tests are named by what people do: those whose name begins as a folder or the file does. */
const ofCommands = (path: string) => [
  `src/${path.replace(/\.ts$/, "")}`,
  ...path
    .replace(/\.ts$/, "")
    .split("/")
    .map((part) => `test/${part.replace(/s$/, "")}`),
];

/** What the server takes from a part of core; of an operation, the folder of the same name and what follows from all. */
const ofCore: Record<string, string[]> = {
  "": ["contract.test", "kernel/", "groups/prompts/"],
  "evals/": ["groups/evals/"],
  "formats/": ["groups/prompts/"],
  "imports/": ["groups/imports/"],
  "rows/": ["groups/evals/", "groups/prompts/"],
  "search/": ["groups/search/"],
  "webhooks/": ["groups/webhooks/"],
};

function ofContract(folder: string): string[] {
  if (folder.startsWith("groups/")) return [`src/${folder}`, "effects.test", "contract.test"];
  const [innermost = ""] = Object.keys(ofCore)
    .filter((one) => folder.startsWith(one))
    .sort()
    .reverse();
  return ofCore[innermost] ?? [];
}
