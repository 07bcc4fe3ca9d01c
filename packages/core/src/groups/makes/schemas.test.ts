import { expect, test } from "vitest";
import { AddGalleryItem, CreateMake } from "./schemas.ts";

const takes = (about: object) => CreateMake.safeParse({ title: "A bot", ...about }).success;

test("a body has at most 100 KiB, whatever its letters take", () => {
  const [ascii, accents] = ["a".repeat(102_400), "é".repeat(51_200)];
  expect([takes({ body: ascii }), takes({ body: accents })]).toEqual([true, true]);
  expect([takes({ body: `${ascii}a` }), takes({ body: `${accents}a` })]).toEqual([false, false]);
});

test("a make names each prompt once", () => {
  const prompts = ["ada/one", "ada/two"].map((prompt) => ({ prompt }));
  expect([takes({ prompts }), takes({ prompts: [...prompts, { prompt: "ada/one" }] })]).toEqual([
    true,
    false,
  ]);
});

test("an item of a gallery is of one kind, and what else is sent is refused by a pointer", () => {
  const [mediaId, embedUrl] = ["med_00000000000000000000000000", "https://vimeo.com/76979871"];
  const pathOf = (item: object) => AddGalleryItem.safeParse(item).error?.issues[0]?.path;
  expect([pathOf({ mediaId }), pathOf({ embedUrl })]).toEqual([undefined, undefined]);
  expect([pathOf({}), pathOf({ mediaId, embedUrl })]).toEqual([["mediaId"], ["mediaId"]]);
});
