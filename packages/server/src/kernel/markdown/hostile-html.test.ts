import { expect, test } from "vitest";
import { hostileHtml, placesInMarkdown, runningSchemes } from "../../../test/hostile-html.ts";
import { strays } from "../../../test/html.ts";
import { renderMarkdown } from "./render.ts";

const kinds = ["note", "article"] as const;

test.each(kinds)(
  "nothing of what public collections of hostile HTML are made of leaves, wherever in the text of %s it stands",
  (kind) => {
    const written = [...hostileHtml, ...runningSchemes];
    expect(written.length).toBeGreaterThan(400);
    const leaked = written.flatMap((text) =>
      placesInMarkdown
        .map((place) => place(text))
        .filter((all) => strays(renderMarkdown(all, kind), kind).length > 0),
    );
    expect(leaked).toEqual([]);
  },
);

test.each(kinds)("nor of many of them together in %s", (kind) => {
  for (const place of placesInMarkdown) {
    const text = hostileHtml.map(place).join("\n\n");
    expect(strays(renderMarkdown(text.slice(0, 10_000), kind), kind)).toEqual([]);
  }
});
