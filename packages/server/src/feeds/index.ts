import type { Page, PostSummary, Series, VersionSummary } from "@promptreg/core";
import type { Context, Hono } from "hono";
import { incomingOf } from "../kernel/http/header.ts";
import type { ServerContext } from "../kernel/server-context.ts";
import { atomOf, type Entry, type Feed, jsonOf } from "./feed.ts";

const forms = {
  atom: { type: "application/atom+xml; charset=utf-8", print: atomOf },
  json: { type: "application/feed+json; charset=utf-8", print: jsonOf },
} as const;
type Form = keyof typeof forms;

/** What a feed is made of: the answer of a read, without a token, and so of what everybody sees. */
interface Source {
  /** The path of the read below `/api/v1`. */
  path: string;
  /** Whether the read takes the query of the feed. */
  isFiltered?: true;
  feedOf(
    answer: unknown,
    origin: string,
    query: URLSearchParams,
  ): Pick<Feed, "title" | "aboutUrl" | "entries">;
}

/** The most that a feed has. */
const most = 30;

const postEntry = ({ url, title, summary, author, tags, publishedAt, updatedAt }: PostSummary): Entry => ({
  id: url,
  url,
  title,
  summary,
  author,
  tags,
  publishedAt: publishedAt ?? updatedAt,
  updatedAt,
});

const versionEntry =
  (ref: string, origin: string) =>
  ({ id, n, message, createdAt, author: { handle } }: VersionSummary): Entry => ({
    id: `${origin}/versions/${id}`,
    url: `${origin}/${ref}@${n}`,
    title: `${ref}@${n}`,
    summary: message || null,
    author: { handle, url: `${origin}/${handle}` },
    tags: [],
    publishedAt: createdAt,
    updatedAt: createdAt,
  });

const newestFirst = (a: PostSummary, b: PostSummary): number =>
  (a.publishedAt ?? "") < (b.publishedAt ?? "") ? 1 : -1;

/** What a feed of posts is called among others, in a reader of feeds. */
function titleOf(query: URLSearchParams): string {
  const [author, tags, words] = [query.get("author"), query.getAll("tag"), query.get("q")];
  const parts = [
    author && `by ${author}`,
    tags.length > 0 && `tagged ${tags.join(" and ")}`,
    words && `with ${words}`,
  ];
  return ["Posts", ...parts].filter(Boolean).join(" ");
}

const posts: Source = {
  path: "/posts",
  isFiltered: true,
  feedOf: (answer, origin, query) => ({
    title: titleOf(query),
    aboutUrl: `${origin}/api/v1/posts`,
    entries: (answer as Page<PostSummary>).items.map(postEntry),
  }),
};
const seriesOf = (id: string): Source => ({
  path: `/posts/series/${id}`,
  feedOf: (answer, origin) => {
    const { title, posts: parts } = answer as Series;
    const entries = parts.toSorted(newestFirst).slice(0, most).map(postEntry);
    return { title, aboutUrl: `${origin}/api/v1/posts/series/${id}`, entries };
  },
});
const versionsOf = (owner: string, slug: string): Source => ({
  path: `/prompts/${owner}/${slug}/versions`,
  feedOf: (answer, origin) => ({
    title: `Versions of ${owner}/${slug}`,
    aboutUrl: `${origin}/${owner}/${slug}`,
    entries: (answer as Page<VersionSummary>).items.map(versionEntry(`${owner}/${slug}`, origin)),
  }),
});

/** What the path of a feed names, and its form. */
function named(path: string): { source: Source; form: Form; of: (path: string) => string | null } | null {
  const [, place = "", form] = /^\/feeds\/([a-z0-9_/-]+)\.(atom|json)$/.exec(path) ?? [];
  const [kind, first = "", second = "", ...others] = place.split("/");
  const isForm = (text: string | undefined): text is Form => text === "atom" || text === "json";
  if (!isForm(form) || others.length > 0) return null;
  if (place === "posts") return { source: posts, form, of: () => null };
  if (kind === "series" && first !== "" && second === "")
    return { source: seriesOf(first), form, of: () => null };
  if (kind !== "prompts" || first === "" || second === "") return null;
  // A prompt that was renamed has its feed elsewhere.
  const of = (location: string) => {
    const [, now] = /\/prompts\/([a-z0-9-]+\/[a-z0-9-]+)\/versions/.exec(location) ?? [];
    return now === undefined ? null : `/feeds/prompts/${now}.${form}`;
  };
  return { source: versionsOf(first, second), form, of };
}

/** What the caller's connection says, without what would make the answer another: the token, and the wished forms. */
function withoutToken(c: Context): object {
  const incoming = incomingOf(c);
  if (incoming === undefined) return {};
  const { authorization: _, accept: _accept, ...headers } = incoming.headers;
  return { ...(c.env as object), incoming: Object.create(incoming, { headers: { value: headers } }) };
}

/**
 * Feeds of posts, of a series and of the versions of a prompt, as Atom and JSON Feed. Each is a read of the API, asked without a token: so
 * it shows what everybody sees, under the limits and with the ETag of that read.
 */
export function mountFeeds(app: Hono, server: ServerContext): void {
  const answer = async (c: Context): Promise<Response> => {
    const found = named(c.req.path);
    const { search } = new URL(c.req.url);
    const query = new URLSearchParams(found?.source.isFiltered ? search : "");
    if (!query.has("limit") && found?.source.path.startsWith("/posts/series/") !== true)
      query.set("limit", String(most));
    const path = `/api/v1${found?.source.path ?? "/feeds"}?${query.toString()}`;
    const read = await app.request(path, {}, withoutToken(c));
    const location = read.headers.get("location");
    const moved = location === null ? null : found?.of(location);
    if (moved) return c.body(null, 301, { location: moved, "cache-control": "no-store" });
    if (read.status !== 200 || found === null) return read;
    const { type, print } = forms[found.form];
    const url = `${server.publicUrl}${c.req.path}${search}`;
    const feed = { ...found.source.feedOf(await read.json(), server.publicUrl, query), url };
    const shown = new Headers(read.headers);
    shown.delete("content-length");
    shown.set("content-type", type);
    return new Response(c.req.method === "HEAD" ? null : print(feed), { status: 200, headers: shown });
  };
  app.get("/feeds/*", answer);
}
