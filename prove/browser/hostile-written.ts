// Hostile texts, written wherever a real server gives HTML for them, or what people wrote as it is.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient } from "../../packages/client/src/index.ts";
import type { Media } from "../../packages/core/src/index.ts";
import {
  hostileHtml,
  hostileMarkdown,
  placesInMarkdown,
  runningSchemes,
} from "../../packages/server/test/hostile-html.ts";
import { png, uploadOf } from "../../packages/server/test/media.ts";
import { newDataDir, run, start } from "../../packages/server/test/process.ts";
import type { TextKind } from "../../packages/server/src/kernel/markdown/render.ts";

/** What the API gave for a text. */
export interface Shown {
  what: string;
  kind: TextKind;
  html: string;
}

export interface Written {
  shown: Shown[];
  /** Where the server gives what people wrote, or made of it, beside the API's JSON. */
  addresses: string[];
  /** Where its media are. */
  mediaUrl: string;
  /** The picture that one of them shows. */
  pictureUrl: string;
}

const fit = (text: string) => text.replace(/(?![\t\n\r])\p{Cc}/gu, " ");
const html = [...hostileHtml, ...runningSchemes].map(fit);
const markdown = hostileMarkdown.map(fit);

/** Each text alone, in one place after the other. */
const alone = (first: number): string[] => [
  ...markdown,
  ...html.map((text, nth) => placesInMarkdown[(first + nth) % placesInMarkdown.length]?.(text) ?? text),
];

/** All texts in all places, together, as long as a field may be. */
function together(maxLength: number): string[] {
  const all: string[][] = [];
  let length = maxLength;
  for (const text of [...placesInMarkdown.flatMap((place) => html.map(place)), ...markdown]) {
    length += text.length + 2;
    if (length > maxLength) {
      all.push([]);
      length = text.length;
    }
    all.at(-1)?.push(text);
  }
  return all.map((some) => some.join("\n\n"));
}

/** Calls for each of a list, eight at once, and gives what came back in its order. */
async function forEach<T, R>(list: readonly T[], call: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = list.entries();
  const work = async () => {
    for (const [nth, one] of entries) results[nth] = await call(one);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return results;
}

const shownOf = (what: string, kind: TextKind, html: string | null): Shown => {
  if (html === null) throw new Error(`no HTML for ${what}`);
  return { what, kind, html };
};

const picture = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`;
const file = (path: string, content: string) => ({ path, content });
const ref = { owner: "ada", slug: "hostile" };
const target = { type: "prompt", id: "ada/hostile" } as const;

/** A prompt whose files are pages, and whose title and message are hostile too; gives the paths of its files. */
async function writePrompt(ada: Client): Promise<string[]> {
  const page = `<!doctype html><title>a</title><script>alert(1)</script>${hostileHtml.join("\n")}`;
  const files = [
    file("PROMPT.md", page),
    file("a.html", page),
    file("a.svg", picture),
    file("a.xml", picture),
  ];
  const title = `<script>alert(1)</script><img src=x onerror=alert(1)>`;
  const body = { kind: "text", slug: ref.slug, title, summary: title, visibility: "public", files } as const;
  await ada.prompts.create({ body: { ...body, message: title } });
  const path = `/api/v1/prompts/${target.id}`;
  const paths = files.map((one) => `${path}/raw/${one.path}`);
  return [path, `${path}/raw`, ...paths, `${path}/download?format=json`, `/feeds/prompts/${target.id}.atom`];
}

const comment = (ada: Client): Promise<Shown[]> =>
  forEach([...alone(0), ...together(10_000)], async (body) => {
    const { html } = await ada.comments.create({ body: { target, body } });
    return shownOf("a comment", "note", html);
  });

/** Change requests, one after the other: a fork has one at a time. */
async function propose(bob: Client): Promise<Shown[]> {
  await bob.prompts.forks.create({ ...ref, body: {} });
  await bob.prompts.versions.create({
    owner: "bob",
    slug: ref.slug,
    body: { files: [file("PROMPT.md", "b")] },
  });
  const source = { source: { ref: `bob/${ref.slug}` } };
  const { n } = await bob.changeRequests.create({ ...ref, body: { ...source, title: "Hostile" } });
  const shown: Shown[] = [];
  for (const body of together(10_000)) {
    const { html } = await bob.changeRequests.update({ ...ref, n, body: { body } });
    shown.push(shownOf("a change request", "note", html));
  }
  return shown;
}

/** Posts, as drafts, and one with a hostile title that everybody reads. */
async function blog(ada: Client): Promise<Shown[]> {
  const title = "</title><script>alert(1)</script>";
  const { id } = await ada.posts.create({ body: { title, summary: title, body: "a" } });
  await ada.posts.submit({ id, body: {} });
  return forEach([...alone(7), ...together(200_000)], async (body) => {
    const { html } = await ada.posts.create({ body: { title: "Hostile", body } });
    return shownOf("a post", "article", html);
  });
}

const make = (ada: Client): Promise<Shown[]> =>
  forEach(together(100_000), async (body) => {
    const { html } = await ada.makes.create({ body: { title: "Hostile", body } });
    return shownOf("a make", "note", html);
  });

/** A contest, which the operator writes in a file. */
async function announce(ada: Client, folder: string, env: Record<string, string>): Promise<Shown[]> {
  const shown: Shown[] = [];
  const at = (day: number) => `2030-01-0${day}T00:00:00Z`;
  const times = { opensAt: at(1), entriesCloseAt: at(2), votingClosesAt: at(3), judgingClosesAt: at(4) };
  const [description, rules, prizes] = together(20_000);
  const path = join(folder, "contest.json");
  writeFileSync(
    path,
    JSON.stringify({ slug: "hostile", title: "Hostile", ...times, description, rules, prizes }),
  );
  const { code, stderr } = await run(["contest", "apply", path], env);
  if (code !== 0) throw new Error(stderr);
  const { html } = await ada.contests.get({ slug: "hostile" });
  for (const text of Object.values(html)) shown.push(shownOf("a contest", "note", text));
  return shown;
}

/** Uploads a file, and waits until it can be used. */
async function upload(ada: Client, ...file: Parameters<typeof uploadOf>): Promise<Media> {
  let media: Media = await ada.media.create({ body: uploadOf(...file) });
  for (; media.status === "processing"; await delay(50)) media = await ada.media.get({ id: media.id });
  return media;
}

/** A post with a picture, which is to be shown. */
async function showPicture(ada: Client): Promise<Pick<Written, "pictureUrl"> & { post: Shown }> {
  const { id: mediaId } = await upload(ada, png(), "a.png");
  const { id } = await ada.posts.create({ body: { title: "Picture", body: `![a](media:${mediaId})` } });
  const { html } = await ada.posts.submit({ id, body: {} });
  const { url } = await ada.media.get({ id: mediaId });
  if (url === null) throw new Error("a picture has no address");
  return { pictureUrl: url, post: shownOf("a post with a picture", "article", html) };
}

/** Files that would run if they were pages; gives their addresses. */
async function offerFiles(ada: Client): Promise<string[]> {
  const files = { "a.html": "<!doctype html><script>alert(1)</script>", "a.svg": picture };
  const addresses: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const { url } = await upload(ada, content, name, { purpose: "file" });
    if (url !== null) addresses.push(url);
  }
  return addresses;
}

/** Writes everything on a server of its own. */
export async function writeHostile(folder: string): Promise<Written> {
  const env = { PROMPTREG_DATA_DIR: newDataDir(), RATE_LIMITS: "off" };
  const { url } = await start(["serve"], env);
  const join = async (handle: string): Promise<Client> => {
    await run(["user", "add", handle], env);
    const token = (await run(["token", "create", "--user", handle], env)).stdout.trim();
    return createClient({ baseUrl: url, token });
  };
  const [ada, bob] = [await join("ada"), await join("bob")];
  await run(["user", "trust", "ada"], env);
  const paths = [...(await writePrompt(ada)), "/feeds/posts.atom"];
  const { pictureUrl, post } = await showPicture(ada);
  const shown = [
    post,
    ...(await comment(ada)),
    ...(await propose(bob)),
    ...(await blog(ada)),
    ...(await make(ada)),
    ...(await announce(ada, folder, env)),
  ];
  const addresses = [...paths.map((path) => url + path), ...(await offerFiles(ada))];
  return { shown, addresses, mediaUrl: url, pictureUrl };
}
