import type { Io } from "../terminal/io.ts";
import { countOf } from "../terminal/text.ts";
import { parseRef } from "@promptreg/core/refs";
import type { Client } from "../requests/client.ts";
import type { Candidate, Position } from "./position.ts";

/** Nobody waits longer for a completion. */
const deadlines = { timeoutMs: 1_000, deadlineMs: 1_000 };

type Values = (client: Client, position: Position) => Promise<readonly Candidate[]>;

/** Values that the server knows, by the names that they have in the grammar. */
const fromServer: Readonly<Record<string, Values>> = {
  prompt: (client, { word }) => (word.includes("@") ? versionsBehind(client, word) : prompts(client, word)),
  what: (client, { word }) => prompts(client, word),
  label: async (client, { earlier }) => labels(client, earlier["prompt"]),
  dataset: async (client, { earlier: { prompt = "" } }) => {
    const { owner, slug } = addressOf(prompt);
    const { items } = await client.evals.datasets.list(
      { query: { prompt: `${owner}/${slug}`, limit } },
      deadlines,
    );
    return items.map(({ name, caseCount }) => [name, countOf(caseCount, "case")]);
  },
  collection: async (client) =>
    (await client.collections.list({ query: { mine: true, limit } }, deadlines)).items.map(
      ({ id, title }) => [id, title],
    ),
  version: async (client, { earlier }) => versions(client, earlier["prompt"]),
  range: async (client, { earlier, word }) => {
    const begun = /^.*\.\./.exec(word)?.[0] ?? "";
    const all = await anyVersion(client, earlier["prompt"] ?? earlier["what"]);
    return all.map(([name, meaning]) => [`${begun}${name}`, meaning]);
  },
  webhook: async (client) =>
    (await client.webhooks.list({}, deadlines)).items.map(({ id, url }) => [id, url]),
  delivery: async (client, { earlier: { webhook: id = "" } }) =>
    (await client.webhooks.deliveries.list({ id }, deadlines)).items.map(({ id, event, status }) => [
      id,
      `${event}, ${status}`,
    ]),
};

/** The values of something that has one of these names; undefined where nobody knows any. */
export async function valuesOf(
  names: readonly string[],
  position: Position,
  io: Io,
): Promise<readonly Candidate[] | undefined> {
  if (names.includes("operation") || names.includes("name=value")) {
    const { operationCandidates } = await import("./operations.ts");
    return operationCandidates(position);
  }
  if (names.includes("profile") || names.includes("profile name")) {
    const { readConfig } = await import("../settings/config-file.ts");
    const { profiles } = await readConfig(io.env);
    return Object.entries(profiles).map(([name, { url }]) => [name, url]);
  }
  if (names.includes("in")) {
    const { openTargetIds } = await import("@promptreg/core/formats");
    return openTargetIds.map((id) => [id, ""]);
  }
  if (names.includes("tool") || names.includes("format")) {
    const { formatNames, toolNames, tools } = await import("@promptreg/core/formats");
    const archives = position.command.name() === "download" ? ["zip", "tar.gz"] : [];
    const formats = [...archives, ...formatNames].map((name) => [name, ""] as const);
    return names.includes("format") ? formats : toolNames.map((name) => [name, tools[name].title] as const);
  }
  if (names.includes("installed")) {
    const { placeOf, readRecord } = await import("../installs/index.ts");
    const { project, global } = position.earlier;
    const installs = await readRecord(placeOf(io.env, { project, global: global !== undefined }).record);
    return [...Map.groupBy(installs, ({ ref }) => ref)].map(([ref, all]) => [
      ref,
      `for ${all.map(({ target }) => target).join(", ")}`,
    ]);
  }
  const values = names
    .map((name) => (Object.hasOwn(fromServer, name) ? fromServer[name] : undefined))
    .find(Boolean);
  if (values === undefined) return undefined;
  const { createContext } = await import("../settings/context.ts");
  const { url, profile } = position.earlier;
  const { connect } = createContext(io, { ...(url && { url }), ...(profile && { profile }) });
  return values(await connect(), position);
}

/** As many as a page has. */
const limit = 100;

/** The caller's own first, then those that they follow, then those of whoever is named; of each the newest that begin so. */
async function prompts(client: Client, word: string): Promise<readonly Candidate[]> {
  const [owner, slug] = word.split("/");
  const listed = (owner: string) => {
    const query = { owner, sort: "updated", limit, ...(slug && { slugPrefix: slug }) } as const;
    return client.prompts.list({ query }, deadlines).then(({ items }) => items);
  };
  const found = await Promise.allSettled([
    listed("me"),
    client.watch.list({ query: { limit } }, deadlines).then(({ items }) => items.map(({ prompt }) => prompt)),
    slug === undefined || !owner ? [] : listed(owner),
  ]);
  const all = found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  return [...new Map(all.map(({ ref, title }) => [ref, title]))];
}

async function versionsBehind(client: Client, word: string): Promise<readonly Candidate[]> {
  const [address = ""] = word.split("@");
  const all = await anyVersion(client, address);
  return all.map(([name, meaning]) => [`${address}@${name}`, meaning]);
}

const anyVersion = async (client: Client, ref: string | undefined): Promise<readonly Candidate[]> =>
  (await Promise.all([labels(client, ref), versions(client, ref)])).flat();

async function labels(client: Client, ref = ""): Promise<readonly Candidate[]> {
  const { items } = await client.prompts.labels.list({ ...addressOf(ref), query: { limit } }, deadlines);
  return items.map(({ name, versionNumber }) => [name, `version ${versionNumber}`]);
}

async function versions(client: Client, ref = ""): Promise<readonly Candidate[]> {
  const { items } = await client.prompts.versions.list({ ...addressOf(ref), query: { limit } }, deadlines);
  return items.map(({ n, message }) => [String(n), message ?? ""]);
}

function addressOf(ref: string): { owner: string; slug: string } {
  const { owner, slug } = parseRef(ref);
  return { owner, slug };
}
