import { createHash } from "node:crypto";
import type { JsonText, ListedChange, ListedChanges } from "@promptreg/core";
import { invalid } from "@promptreg/core/errors";
import { includesEtag } from "@promptreg/core/wire";
import { LRUCache } from "lru-cache";
import { batched } from "../../database/batch.ts";
import { ofAccount } from "../../kernel/changes/bus.ts";
import type { Handler } from "../../kernel/handler.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { versionEtag } from "./get.ts";
import { type Listed, type ListingRow, loadMaturity, selectListing } from "./list-changes.sql.ts";

/** The prompts of an owner whose changes can be listed. */
const mostListed = 5_000;
/** The bytes of lists that are remembered, to say what changed since. */
const rememberedBytes = 32 * 2 ** 20;
/** How old a list may be for those who wait. */
const momentMs = 1_000;
/** Lists that are asked for at a time. */
const mostAsked = 1_000;

/** The versions of a list at one time. */
interface Listing {
  etag: string;
  /** Whose prompts and which label, and for an account's own list who sees it: an ETag of another list says nothing here. */
  of: string;
  /** What the bus announces when they change. */
  names: readonly string[];
  /** The sequence of announcements before it was read. */
  since: number;
  /** By the clock of the process. */
  readAtMs: number;
  items: ReadonlyMap<string, ListedChange>;
}

interface Listings {
  /**
   * The versions now. Those who ask while a statement runs share the next. Those who wait share what was read a moment ago, unless
   * something was announced since.
   */
  load(asked: Asked): Promise<Listing>;
  /** The same list as it was when it had an ETag. */
  remembered(listing: Listing, ifNoneMatch: readonly string[]): Listing | undefined;
  /** The answer to those who have an earlier list, or none: the same for many. */
  answer(listing: Listing, before: Listing | undefined): JsonText<ListedChanges>;
}

type Asked = Pick<Parameters<Handler<"prompts.list">>[0], "query" | "caller" | "isWaiting">;

/** A list for those who want to see what is mature, and for others. */
type Shown = Record<"all" | "decent", Listing>;

/** A list that is read for all who may see it. */
interface Reading {
  latest?: Shown;
  load: () => Promise<Shown>;
}

const opened = new WeakMap<ServerContext, Listings>();

function listingsOf(server: ServerContext): Listings {
  const listings = opened.get(server) ?? openListings(server);
  opened.set(server, listings);
  return listings;
}

function openListings({ sql, readSql, waits }: ServerContext): Listings {
  const known = new LRUCache<string, Listing>({ maxSize: rememberedBytes, sizeCalculation: sizeOf });
  const readings = new LRUCache<string, Reading>({ max: mostAsked });
  const answers = new LRUCache<string, JsonText<ListedChanges>>({
    maxSize: rememberedBytes / 4,
    sizeCalculation: (text) => text.length,
  });
  const showsMature = loadMaturity(readSql);
  return {
    async load({ query: { owner = "", label }, caller, isWaiting }) {
      const listed =
        owner === "me" && caller ? { ownId: caller.id, restriction: caller.restriction } : { owner };
      const showsAll = "ownId" in listed || (caller !== null && (await showsMature(caller.id)));
      const of = JSON.stringify([listed, label]);
      const reading = readings.get(of) ?? openReading(of, { ...listed, label });
      readings.set(of, reading);
      const shown = (isWaiting && latestOf(reading)) || (await reading.load());
      return shown[showsAll ? "all" : "decent"];
    },
    remembered: ({ of }, ifNoneMatch) =>
      ifNoneMatch
        .map((etag) => known.get(nameOf(of, etag.slice(1, -1))))
        .find((listing) => listing !== undefined),
    answer(listing, before) {
      const key = `${before?.etag} ${listing.etag}`;
      const text = answers.get(key) ?? JSON.stringify(changesIn(listing, before));
      answers.set(key, text);
      return text;
    },
  };

  /** What was read last, if nothing was announced since. After a moment it is read again, for announcements can be lost. */
  function latestOf({ latest }: Reading): Shown | undefined {
    if (latest === undefined || performance.now() - latest.all.readAtMs > momentMs) return undefined;
    return waits.hasChanged(latest.all.names, latest.all.since) ? undefined : latest;
  }

  function openReading(of: string, wanted: Parameters<typeof read>[1]): Reading {
    const load = batched<void, Shown>(
      async (calls) => Array<Shown>(calls.length).fill((reading.latest = await read(of, wanted))),
      { most: Number.POSITIVE_INFINITY },
    );
    const reading: Reading = { load };
    return reading;
  }

  async function read(of: string, wanted: Listed & { label: string | undefined }): Promise<Shown> {
    const [since, readAtMs] = [waits.sequence, performance.now()];
    const { ownerId, rows } = await selectListing(sql, { ...wanted, take: mostListed + 1 });
    if (rows.length > mostListed)
      throw invalid(
        "/view",
        `The owner has more than ${mostListed} such prompts. List them with view=version.`,
      );
    const names = ownerId ? [ownerId, ofAccount(ownerId)] : [];
    const listingOf = (shown: readonly ListingRow[]) =>
      remember({ of, names, since, readAtMs, ...printed(shown) });
    return { all: listingOf(rows), decent: listingOf(rows.filter(({ isMature }) => !isMature)) };
  }

  /** Of equal lists, the items of one. */
  function remember(listing: Listing): Listing {
    const name = nameOf(listing.of, listing.etag);
    const items = known.get(name)?.items;
    if (items) return { ...listing, items };
    known.set(name, listing);
    return listing;
  }
}

const nameOf = (of: string, etag: string) => `${of} ${etag}`;

function printed(rows: readonly ListingRow[]): Pick<Listing, "etag" | "items"> {
  const items = rows.map(
    (row): ListedChange => ({ ref: row.ref, versionNumber: row.n, etag: `"${versionEtag(row)}"` }),
  );
  const digest = createHash("sha256");
  for (const { etag } of items) digest.update(String(etag));
  return { etag: digest.digest("base64url"), items: new Map(items.map((item) => [item.ref, item])) };
}

/** About what a list takes in memory: each item its address, its ETag and their objects. */
const sizeOf = ({ items }: Listing) =>
  1_000 + items.size * 200 + [...items.keys()].reduce((sum, ref) => sum + 2 * ref.length, 0);

/** What the versions of a list are, or what changed in them since the caller's ETag. */
export async function listChanges({
  query,
  caller,
  ifNoneMatch,
  isWaiting,
  server,
}: Asked & Pick<Parameters<Handler<"prompts.list">>[0], "ifNoneMatch" | "server">) {
  const listings = listingsOf(server);
  const listing = await listings.load({ query, caller, isWaiting });
  const { etag, names } = listing;
  if (includesEtag(ifNoneMatch, etag)) return { status: 304 as const, etag, names };
  return {
    status: 200 as const,
    json: listings.answer(listing, listings.remembered(listing, ifNoneMatch)),
    etag,
  };
}

function changesIn({ items }: Listing, before: Listing | undefined): ListedChanges {
  const changed = [...items.values()].filter((item) => before?.items.get(item.ref)?.etag !== item.etag);
  const gone = [...(before?.items.keys() ?? [])]
    .filter((ref) => !items.has(ref))
    .map((ref) => ({ ref, versionNumber: null, etag: null }));
  return { isWhole: before === undefined, items: [...changed, ...gone], nextCursor: null };
}
