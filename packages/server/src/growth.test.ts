import { calm, excerpt, highlight, queryWords, read, searchWords } from "@promptreg/core/search";
import { describe, expect, test } from "vitest";
import { complaintAbout } from "../../core/src/testing/growth.ts";
import { networkOf } from "./kernel/http/client-address.ts";
import { renderMarkdown } from "./kernel/markdown/render.ts";
import { etagOfContent } from "./kernel/operations/etag.ts";

const stems = new Set(["a", "b1", "文", "http"]);

describe("no text costs more than its length:", () => {
  test.each<[string, (text: string) => unknown]>([
    ["its words", searchWords],
    ["a search for it", queryWords],
    ["an excerpt", (text) => excerpt(read(calm(text), stems), stems)],
    ["a title that was found", (text) => highlight(read(text, stems), stems)],
    ["the address of a client", (text) => networkOf(`fe80::1%${text}`)],
    ["its HTML", renderMarkdown],
    ["its ETag", (text) => etagOfContent(JSON.stringify({ text, counts: { stars: 1 } }))],
  ])("%s", async (_, run) => {
    expect(await complaintAbout(run)).toBeUndefined();
  });
});
