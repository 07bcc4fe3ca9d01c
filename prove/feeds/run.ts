/** The feeds as a reader of feeds parses them, with texts that are hard to write as XML. */
import { deepEqual } from "node:assert/strict";
import { parseFeed } from "feedsmith";
import { atomOf, type Feed, jsonOf } from "../../packages/server/src/feeds/feed.ts";

const author = { handle: "ada", url: "https://prompts.example/ada" };
const texts = ["Plain", `<b>&"'</b> ]]> &amp; <!-- -->`, "日本 🙂 \u0301", "a\u0008b", "</title></entry>"];
const feed: Feed = {
  title: texts[1] ?? "",
  url: "https://prompts.example/feeds/posts.atom?tag=a&author=ada",
  aboutUrl: "https://prompts.example/posts",
  entries: texts.map((text, nth) => ({
    id: `https://prompts.example/posts/pst_${nth}`,
    url: `https://prompts.example/posts/pst_${nth}`,
    title: text,
    summary: nth === 0 ? null : text,
    author,
    tags: ["start", "a-b"],
    publishedAt: "2026-01-02T03:04:05.678Z",
    updatedAt: "2026-01-03T03:04:05.678Z",
  })),
};

const atom = parseFeed(atomOf(feed));
deepEqual(atom.format, "atom");
const {
  entries = [],
  title,
  updated,
} = atom.feed as {
  entries?: { title?: unknown; id?: string; updated?: string; categories?: { term?: string }[] }[];
  title?: unknown;
  updated?: string;
};
const textOf = (value: unknown) => (typeof value === "string" ? value : (value as { value: string }).value);
deepEqual([textOf(title), updated], [feed.title, "2026-01-03T03:04:05.678Z"]);
deepEqual(
  entries.map((entry) => [entry.id, textOf(entry.title), entry.categories?.map(({ term }) => term)]),
  feed.entries.map(({ id, title: said, tags }) => [id, said.replace("\u0008", "\ufffd"), tags]),
);
console.log("✓ Atom says what it was made of, whatever the texts are");

const json = parseFeed(jsonOf(feed));
deepEqual(json.format, "json");
const { items = [] } = json.feed as { items?: { id?: string; title?: string; url?: string }[] };
deepEqual(
  items.map(({ id, title: said, url }) => [id, said, url]),
  feed.entries.map(({ id, title: said, url }) => [id, said, url]),
);
console.log("✓ so does JSON Feed");
