import fc from "fast-check";
import { expect, test } from "vitest";
import { readEmbed } from "./embed.ts";

const id = "dQw4w9WgXcQ";
const model = "0123456789abcdef0123456789abcdef";

test.each([
  [
    `https://www.youtube.com/watch?v=${id}&list=PL1`,
    "youtube",
    `https://www.youtube-nocookie.com/embed/${id}`,
  ],
  [`https://m.youtube.com/shorts/${id}`, "youtube", `https://www.youtube-nocookie.com/embed/${id}`],
  ...["embed", "live", "v"].map((path) => [
    `https://music.youtube.com/${path}/${id}`,
    "youtube",
    `https://www.youtube-nocookie.com/embed/${id}`,
  ]),
  [`http://youtu.be/${id}?t=4`, "youtube", `https://www.youtube-nocookie.com/embed/${id}`],
  ["https://vimeo.com/76979871", "vimeo", "https://player.vimeo.com/video/76979871"],
  [
    "https://player.vimeo.com/video/76979871?h=8272103f6e",
    "vimeo",
    "https://player.vimeo.com/video/76979871?h=8272103f6e",
  ],
  [
    `https://sketchfab.com/3d-models/red-chair-${model}`,
    "sketchfab",
    `https://sketchfab.com/models/${model}/embed`,
  ],
  [`https://sketchfab.com/models/${model}`, "sketchfab", `https://sketchfab.com/models/${model}/embed`],
  [
    "https://m.soundcloud.com/somebody/a-track",
    "soundcloud",
    "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fsomebody%2Fa-track",
  ],
  [
    "https://soundcloud.com/somebody/sets/a-set",
    "soundcloud",
    "https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fsomebody%2Fsets%2Fa-set",
  ],
])("the address %s is an embed of %s", (address, provider, embedUrl) => {
  const embed = readEmbed(address);
  expect(embed).toMatchObject({ provider, embedUrl });
  // What is written is read as the same.
  expect(readEmbed(embed?.url ?? "")).toEqual(embed);
});

test.each([
  `https://youtube.com.evil.example/watch?v=${id}`,
  `https://youwww.tube.com/watch?v=${id}`,
  `https://evil.example/youtube.com/watch?v=${id}`,
  `https://youtube.com@evil.example/watch?v=${id}`,
  `https://user:word@youtube.com/watch?v=${id}`,
  `https://youtube.com:8443/watch?v=${id}`,
  `javascript://youtube.com/watch?v=${id}`,
  "https://www.youtube.com/watch?v=short",
  `https://www.youtube.com/watch?v=${id}"onload=`,
  `https://www.youtube.com/watch?v=x${id}`,
  "https://vimeo.com/channels/staffpicks",
  "https://vimeo.com/76979871x",
  "https://sketchfab.com/3d-models/red-chair",
  `https://sketchfab.com/3d-models/${model}-red`,
  `https://sketchfab.com/feeds/${model}`,
  "https://soundcloud.com/somebody",
  "https://soundcloud.com/somebody/sets",
  "https://soundcloud.com/somebody/a-track/comments",
  "https://soundcloud.com/somebody/sets/a-set/likes",
  "https://soundcloud.com/some body/track",
  "https://constructor/x",
  "youtube.com",
  "",
])("the address %s is no embed", (address) => {
  expect(readEmbed(address)).toBe(null);
});

test("whatever is sent, an embed leads to its provider and has no more than letters, digits and marks of an address", () => {
  const hosts = fc.constantFrom("youtube.com", "youtu.be", "vimeo.com", "sketchfab.com", "soundcloud.com");
  fc.assert(
    fc.property(
      hosts,
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "grapheme" }),
      (host, path, query) => {
        const embed = readEmbed(`https://${host}/${path}?${query}`);
        if (embed === null) return;
        for (const address of [embed.url, embed.embedUrl])
          expect(address).toMatch(
            /^https:\/\/(www|player|w)?\.?(youtube(-nocookie)?|vimeo|sketchfab|soundcloud)\.com\/[\w/?=&%.-]+$/,
          );
      },
    ),
  );
});

test.each(["x8272103f6e", "8272103f6ex", "8272103"])("of a video, %s is no key", (key) => {
  expect(readEmbed(`https://vimeo.com/76979871/${key}`)?.url).toBe("https://vimeo.com/76979871");
});
