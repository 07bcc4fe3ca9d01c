import { idOf } from "../../../test/seed/draw.ts";
import { accountAt, type Registry } from "../../../test/seed/registry.ts";
import { at, bytesOf, type Cell, json, type Table } from "../../../test/seed/table.ts";

/** Of `bench`; one account in twenty has one. The last of `bench` are ready, and found as much as there can be. */
const ownImports = 2_000;
const readyImports = 3;
const itemsOfEach = 500;
/** Of a file that is uploaded. */
const pieces = 1_100;
const minuteMs = 60_000;

export const seeds: Table[] = [
  {
    name: "imports",
    columns: "id user_id source status detected selected created_at ready_at finished_at expires_at".split(
      " ",
    ),
    *rows(registry) {
      for (let nth = 0; nth < importsOf(registry); nth++) yield importRow(registry, nth);
    },
  },
  {
    name: "import_items",
    columns:
      "id import_id position detector kind title slug tags source_path files preview variables confidence selected warnings".split(
        " ",
      ),
    *rows(registry) {
      for (let nth = 0; nth < readyImports * itemsOfEach; nth++) yield itemRow(registry, nth);
    },
  },
  {
    name: "import_contents",
    columns: ["item_id", "files"],
    *rows(registry) {
      const file = { path: "PROMPT.md", mode: "100644", encoding: "utf8", content: "Say what you found.\n" };
      for (let nth = 0; nth < readyImports * itemsOfEach; nth++) yield [itemId(registry, nth), json([file])];
    },
  },
  {
    name: "import_chunks",
    columns: ["import_id", "start", "content"],
    *rows(registry) {
      const { id } = importAt(registry, 0);
      for (let nth = 0; nth < pieces; nth++) yield [id, 2 * nth, bytesOf("[]")];
    },
  },
];

const importsOf = ({ accounts }: Registry): number => ownImports + Math.floor((accounts - 1) / 20);

/** Those of `bench` come first, one a minute. */
function importAt(registry: Registry, nth: number) {
  const isOwn = nth < ownImports;
  const createdMs = registry.untilMs - (isOwn ? ownImports - nth : 1) * minuteMs;
  const owner = accountAt(registry, isOwn ? 0 : 1 + (nth - ownImports) * 20);
  return {
    id: idOf("imp", createdMs, nth),
    owner,
    createdMs,
    isReady: isOwn && nth >= ownImports - readyImports,
  };
}

function importRow(registry: Registry, nth: number): Cell[] {
  const { id, owner, createdMs, isReady } = importAt(registry, nth);
  const status = isReady ? "ready" : nth % 50 === 0 ? "cancelled" : nth % 70 === 0 ? "failed" : "completed";
  return [
    id,
    owner.id,
    json({ type: "paste", label: `Text ${nth}` }),
    status,
    isReady ? itemsOfEach : 0,
    isReady ? itemsOfEach : 0,
    at(createdMs),
    at(createdMs),
    isReady ? null : at(createdMs),
    at(createdMs + 7 * 24 * 60 * minuteMs),
  ];
}

function itemRow(registry: Registry, nth: number): Cell[] {
  const { id } = importAt(registry, ownImports - 1 - Math.floor(nth / itemsOfEach));
  const slug = `found-${nth}`;
  return [
    itemId(registry, nth),
    id,
    (nth % itemsOfEach) + 1,
    "text",
    "text",
    `Found ${nth}`,
    slug,
    "{}",
    `prompts/${slug}.md`,
    json([{ path: "PROMPT.md", size: 20 }]),
    "Say what you found.\n",
    "[]",
    0.5,
    true,
    "{}",
  ];
}

const itemId = ({ untilMs }: Registry, nth: number): string => idOf("iim", untilMs - minuteMs, nth);
