import { Draw, idOf } from "../../../test/seed/draw.ts";
import { bodyOf, commonContents, contentHashOf, filesOf, sha256 } from "../../../test/seed/contents.ts";
import {
  committedMs,
  isUsable,
  labelName,
  latestOf,
  movesOf,
  type Prompt,
  promptsOf,
  sourceOf,
  versionId,
} from "../../../test/seed/prompts.ts";
import type { Registry } from "../../../test/seed/registry.ts";
import { at, bytesOf, type Cell, hex, json, list, type Table } from "../../../test/seed/table.ts";
import { searchDocument } from "../../../test/seed/words.ts";

const topic = { name: "topic", type: "text", required: true, default: null };

export const seeds: Table[] = [
  {
    name: "prompts",
    columns: (
      "id owner_id slug kind title summary tags license visibility rating status revision last_version latest_version " +
      "last_event_at created_at updated_at published_at deleted_at forked_from_id forked_from_n has_evals trending " +
      "hourly_stars hourly_installs"
    ).split(" "),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) yield promptRow(registry, prompt);
    },
  },
  {
    name: "counters",
    columns: ["subject_id", "name", "value"],
    *rows(registry) {
      for (const { id, watchers, hourlyStars, hourlyInstalls } of promptsOf(registry)) {
        const counts = { watchers, stars: hourlyStars, installs: hourlyInstalls };
        for (const [name, value] of Object.entries(counts)) if (value > 0) yield [id, name, value];
      }
    },
  },
  {
    name: "blobs",
    columns: ["sha256", "content"],
    *rows(registry) {
      for (const content of commonContents(registry)) yield [hex(sha256(content)), bytesOf(content)];
      for (const prompt of promptsOf(registry)) {
        for (let n = 1; n <= prompt.versions; n++) {
          for (const { content, of } of filesOf(registry, prompt, n)) {
            const isNew = of === "version" || (of === "prompt" && n === 1);
            if (isNew) yield [hex(sha256(content)), bytesOf(content)];
          }
        }
      }
    },
  },
  {
    name: "versions",
    columns: (
      "id prompt_id n message entry content_hash variables config token_estimate author_id author_handle origin " +
      "created_at yanked_at yanked_by yank_reason"
    ).split(" "),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let n = 1; n <= prompt.versions; n++) yield versionRow(registry, prompt, n);
      }
    },
  },
  {
    name: "version_files",
    columns: ["version_id", "path", "mode", "size", "sha256", "media_type", "encoding"],
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let n = 1; n <= prompt.versions; n++) {
          const id = versionId(prompt, n);
          for (const { path, mode, content, mediaType } of filesOf(registry, prompt, n)) {
            yield [id, path, mode, Buffer.byteLength(content), hex(sha256(content)), mediaType, "utf8"];
          }
        }
      }
    },
  },
  {
    name: "drafts",
    columns: ["prompt_id", "files", "updated_at", "size"],
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        if (prompt.versions > 0) continue;
        const files = filesOf(registry, prompt, 1).map(({ path, mode, content }) => ({
          path,
          content,
          encoding: "utf8",
          mode,
        }));
        const size = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
        yield [prompt.id, json(files), at(prompt.updatedMs), size];
      }
    },
  },
  {
    name: "labels",
    columns: ["prompt_id", "name", "version_n", "updated_at", "updated_by"],
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let label = 0; label < prompt.labels; label++) {
          const last = [...movesOf(registry, prompt, label)].at(-1);
          if (last) yield [prompt.id, labelName(label), last.to, at(last.atMs), prompt.owner.id];
        }
      }
    },
  },
  {
    name: "label_moves",
    columns: ["id", "prompt_id", "name", "from_n", "to_n", "actor_id", "at"],
    *rows(registry) {
      let nth = 0;
      for (const prompt of promptsOf(registry)) {
        for (let label = 0; label < prompt.labels; label++) {
          for (const { from, to, atMs } of movesOf(registry, prompt, label)) {
            const id = idOf("lmv", atMs, nth++);
            yield [id, prompt.id, labelName(label), from, to, prompt.owner.id, at(atMs)];
          }
        }
      }
    },
  },
  {
    name: "search_documents",
    columns: ["type", "id", "document", "making"],
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        if (prompt.isDeleted) continue;
        const latest = latestOf(registry, prompt);
        const words = searchDocument([
          ["A", prompt.title],
          ["B", prompt.tags.join(" ")],
          ["C", prompt.summary ?? ""],
          ["D", latest === null ? "" : bodyOf(registry, prompt, latest)],
        ]);
        yield ["prompt", prompt.id, [words, ...searchTerms(prompt)].join(" "), 2];
      }
    },
  },
];

/** What `search_terms` gives, in the text form of a tsvector. */
function searchTerms({ kind, owner, hourlyStars, versions, publishedMs, createdMs, license, tags }: Prompt) {
  const tier = hourlyStars === 0 ? 0 : Math.min(9, 1 + Math.floor(Math.log2(hourlyStars) / 2));
  const month = at(versions > 0 ? publishedMs : createdMs)
    .slice(0, 7)
    .replace("-", "");
  const terms = [`kind:${kind}`, `owner:${owner.id}`, `stars:${tier}`, `month:${month}`];
  if (license !== null) terms.push(`license:${license}`);
  return [...terms, ...tags.map((tag) => `tag:${tag}`)].map((term) => `'${term}'`);
}

function promptRow(registry: Registry, prompt: Prompt): Cell[] {
  const { index, createdMs, updatedMs, versions, hourlyStars, hourlyInstalls } = prompt;
  const source = sourceOf(registry, prompt);
  const isPublished = versions > 0;
  const hours = (registry.untilMs - prompt.publishedMs) / 3_600_000;
  const isTrending = new Draw(registry.number, 6, index).happens(0.2);
  return [
    prompt.id,
    prompt.owner.id,
    prompt.slug,
    prompt.kind,
    prompt.title,
    prompt.summary,
    list(prompt.tags),
    prompt.license,
    prompt.visibility,
    prompt.rating,
    isPublished ? "published" : "draft",
    1 + versions + (prompt.labels > 0 ? prompt.moves : 0),
    versions,
    latestOf(registry, prompt),
    isPublished ? at(updatedMs) : null,
    at(createdMs),
    at(updatedMs),
    isPublished ? at(prompt.publishedMs) : null,
    prompt.isDeleted ? at(updatedMs) : null,
    source?.id ?? null,
    source && 1,
    prompt.runs > 0,
    isTrending ? (3 * hourlyStars + 2 * hourlyInstalls) / (hours + 2) ** 1.5 : 0,
    hourlyStars,
    hourlyInstalls,
  ];
}

function versionRow(registry: Registry, prompt: Prompt, n: number): Cell[] {
  const { id, owner, kind } = prompt;
  const files = filesOf(registry, prompt, n);
  const source = n === 1 ? sourceOf(registry, prompt) : null;
  const isYanked = !isUsable(registry, prompt, n);
  const [entry] = files;
  const text = entry?.of === "anybody" ? entry.content : bodyOf(registry, prompt, n);
  return [
    versionId(prompt, n),
    id,
    n,
    n % 3 === 0 ? `Number ${n}` : null,
    entry?.path ?? "",
    contentHashOf(files),
    json(kind === "skill" ? [] : [topic]),
    "{}",
    Math.ceil(Buffer.byteLength(text) / 4),
    owner.id,
    owner.handle,
    json(source ? { type: "fork", promptId: source.id, versionNumber: 1 } : { type: "commit" }),
    at(committedMs(prompt, n)),
    isYanked ? at(prompt.updatedMs) : null,
    isYanked ? owner.id : null,
    isYanked ? "Superseded" : null,
  ];
}
