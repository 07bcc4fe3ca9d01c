import { expect, test } from "vitest";
import { hostileHtml, placesInMarkdown, runningSchemes } from "../../../test/hostile-html.ts";
import { strays } from "../../../test/html.ts";
import { renderMarkdown } from "./render.ts";

test("nothing of what public collections of hostile HTML are made of leaves, wherever in a text it stands", () => {
  const written = [...hostileHtml, ...runningSchemes];
  expect(written.length).toBeGreaterThan(250);
  const leaked = written.flatMap((text) =>
    placesInMarkdown.map((place) => place(text)).filter((all) => strays(renderMarkdown(all)).length > 0),
  );
  expect(leaked).toEqual([]);
});

test("nor of many of them together", () => {
  for (const place of placesInMarkdown)
    expect(strays(renderMarkdown(hostileHtml.map(place).join("\n\n").slice(0, 10_000)))).toEqual([]);
});
