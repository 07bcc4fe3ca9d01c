import { createHash } from "node:crypto";
import type { ListedChange, ListedChanges } from "@promptreg/core";
import { invalid } from "@promptreg/core/errors";
import { includesEtag } from "@promptreg/core/wire";
import { LRUCache } from "lru-cache";
import { batched } from "../../database/batch.ts";
import { ofAccount } from "../../kernel/changes/bus.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Handler } from "../../kernel/handler.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { versionEtag } from "./get.ts";
import { type ListingQuery, selectListing } from "./list-changes.sql.ts";

/** The prompts of an owner whose changes can be listed. */
export const mostListed = 5_000;
/** The bytes of lists that are remembered, to say what changed since. */
const rememberedBytes = 32 * 2 ** 20;
/** Lists that are asked for at a time. */
const mostAsked = 1_000;

/** The versions of a list at one time. */
interface Listing {
  etag: string;
  /** What the bus announces when they change. */
  names: readonly string[];
  items: ReadonlyMap<string, ListedChange>;
}

interface Listings {
  /** The versions now. Those who ask while a statement runs share the next. */
  load(asked: Asked): Promise<Listing>;
  /** Those that an ETag stands for, which nobody can know who was not shown them. */
  remembered(ifNoneMatch: readonly string[]): Listing | undefined;
}

type Asked = { query: ListingQuery; caller: Pick<Caller, "id" | "role"> | null };

const opened = new WeakMap<ServerContext, Listings>();

function listingsOf(server: ServerContext): Listings {
  const listings = opened.get(server) ?? openListings(server);
  opened.set(server, listings);
  return listings;
}

function openListings({ sql }: ServerContext): Listings {
  const known = new LRUCache<string, Listing>({ maxSize: rememberedBytes, sizeCalculation: sizeOf });
  const loads = new LRUCache<string, () => Promise<Listing>>({ max: mostAsked });
  const loadOnce = async (asked: Asked) => {
    const listing = await readListing(asked);
    // The same for many callers.
    const shared = known.get(listing.etag) ?? listing;
    known.set(shared.etag, shared);
    return shared;
  };
  return {
    load(asked) {
      const { query, caller } = asked;
      const key = [query.owner, query.label, caller?.id, caller?.role].join(" ");
      const loadNow =
        loads.get(key) ??
        batched<void, Listing>(async (calls) => Array<Listing>(calls.length).fill(await loadOnce(asked)), {
          most: Number.POSITIVE_INFINITY,
        });
      loads.set(key, loadNow);
      return loadNow();
    },
    remembered: (ifNoneMatch) =>
      ifNoneMatch.map((etag) => known.get(etag.slice(1, -1))).find((listing) => listing !== undefined),
  };

  async function readListing({ query, caller }: Asked): Promise<Listing> {
    const { ownerId, rows } = await selectListing(sql, { query, caller, take: mostListed + 1 });
    if (rows.length > mostListed)
      throw invalid(
        "/view",
        `${query.owner} has more than ${mostListed} such prompts. List them with view=version.`,
      );
    const items = rows.map(({ n, ...row }) => ({
      ref: row.ref,
      versionNumber: n,
      etag: `"${versionEtag(row)}"`,
    }));
    const digest = createHash("sha256");
    for (const { etag } of items) digest.update(etag);
    return {
      etag: digest.digest("base64url"),
      names: ownerId ? [ownerId, ofAccount(ownerId)] : [],
      items: new Map(items.map((item) => [item.ref, item])),
    };
  }
}

/** About what a list takes in memory: each item its address, its ETag and their objects. */
const sizeOf = ({ items }: Listing) =>
  1_000 + items.size * 200 + [...items.keys()].reduce((sum, ref) => sum + 2 * ref.length, 0);

/** What the versions of a list are, or what changed in them since the caller's ETag. */
export async function listChanges({
  query,
  caller,
  ifNoneMatch,
  server,
}: Pick<Parameters<Handler<"prompts.list">>[0], "query" | "caller" | "ifNoneMatch" | "server">) {
  const listings = listingsOf(server);
  const { etag, names, items } = await listings.load({ query, caller });
  if (includesEtag(ifNoneMatch, etag)) return { status: 304 as const, etag, names };
  const before = listings.remembered(ifNoneMatch)?.items;
  const changed = [...items.values()].filter((item) => before?.get(item.ref)?.etag !== item.etag);
  const gone = [...(before?.keys() ?? [])]
    .filter((ref) => !items.has(ref))
    .map((ref) => ({ ref, versionNumber: null, etag: null }));
  const json: ListedChanges = {
    isWhole: before === undefined,
    items: [...changed, ...gone],
    nextCursor: null,
  };
  return { status: 200 as const, json, etag };
}
