import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Contract, contract, type Kind, listOperations } from "@promptreg/core";
import type { Sql } from "../src/database/sql.ts";
import type { GroupScenes, KindScene, List, ListScene, OperationScene } from "./scenes.ts";

type AnyGroupScenes = Pick<
  GroupScenes<keyof Contract>,
  "kinds" | "shows" | "counts" | "connect" | "changes" | "keeps"
> & {
  operations: Record<string, OperationScene & Partial<ListScene>>;
};

const folder = fileURLToPath(new URL("../src/groups/", import.meta.url));
const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** `changeRequests` stands in `change-requests`. */
const groupIn = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
export const folderOf = (group: string) => group.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The scenes of each group: what stands in its folder's `scenes.ts`. */
export const groupScenes: Record<string, AnyGroupScenes> = Object.fromEntries(
  await Promise.all(
    names.map(
      async ({ name }) => [groupIn(name), (await import(`${folder}${name}/scenes.ts`)).scenes] as const,
    ),
  ),
);

/** By the id of the operation. */
export const operationScenes: AnyGroupScenes["operations"] = Object.fromEntries(
  Object.entries(groupScenes).flatMap(([group, { operations }]) =>
    Object.entries(operations).map(([id, scene]) => [`${group}.${id}`, scene]),
  ),
);

/** The headers that an operation's least request needs. */
export function headersOf(id: string): Record<string, string> {
  const { headers = {} } = operationScenes[id] ?? {};
  return typeof headers === "function" ? headers() : headers;
}

export const kindScenes: Readonly<Partial<Record<Kind, KindScene>>> = Object.assign(
  {},
  ...Object.values(groupScenes).map(({ kinds }) => kinds),
);

/** The lists of the contract in a seeded database, by operation. */
export async function listsOf(sql: Sql): Promise<Record<string, List>> {
  const lists: Record<string, List> = {};
  for (const [id, { list }] of Object.entries(operationScenes)) {
    if (list) lists[id] = typeof list === "function" ? await list(sql) : list;
  }
  return lists;
}

/** What the contract's lists can be asked and no query here does, as `operation: field`. */
export function unasked(lists: Record<string, List>): string[] {
  return listOperations(contract).flatMap(({ id, operation }) => {
    const fields = Object.keys((operation.query as { shape?: object } | undefined)?.shape ?? {});
    if (!fields.includes("cursor")) return [];
    const { queries = [], broad = [], moderated = [] } = lists[id] ?? {};
    const asked = new Set(
      [...queries, ...broad, ...moderated].flatMap((query) => [...new URLSearchParams(query).keys()]),
    );
    const missing = fields.filter((field) => !["cursor", "limit"].includes(field) && !asked.has(field));
    return [...(lists[id] ? [] : [id]), ...missing.map((field) => `${id}: ${field}`)];
  });
}
