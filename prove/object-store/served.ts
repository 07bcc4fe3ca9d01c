import { deepEqual, equal, notEqual } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { openAsBlob, writeFileSync } from "node:fs";
import { join } from "node:path";
import { png } from "../../packages/server/test/media.ts";
import { judge } from "./judge.ts";
import { bytesOf, check, digestOf, formOf, type Scene, type Shown } from "./scene.ts";

const name = "отчёт 資料 + 100% (1).bin";

/** What comes out is what went in, until it is deleted. */
export async function proveServed(scene: Scene): Promise<void> {
  const sent = png({ width: 900, height: 700 });
  const content = randomBytes(20_000_000);
  const path = join(scene.folder, "large");
  writeFileSync(path, content);

  const picture = await check("a picture is printed anew, and served with its thumbnail", async () => {
    const shown = await scene.upload(formOf(sent));
    notEqual(shown.sha256, digestOf(sent));
    equal(await scene.digestOfMedia(shown.id), shown.sha256);
    const thumbnail = await fetch(shown.thumbnailUrl ?? "");
    deepEqual([thumbnail.status, thumbnail.headers.get("content-type")], [200, "image/webp"]);
    return shown;
  });

  const file = await check("a file of 20 MB is served whole, under its name in any script", async () => {
    const shown = await scene.upload(formOf(await openAsBlob(path), { name, purpose: "file" }));
    const response = await fetch(shown.url);
    const disposition = response.headers.get("content-disposition") ?? "";
    equal(decodeURIComponent(disposition.replace("attachment; filename*=UTF-8''", "")), name);
    equal(digestOf(await response.bytes()), digestOf(content));
    return shown;
  });

  await check("ranges of it are served, and nothing to who has it", async () => {
    for (const [range, ...part] of [
      ["bytes=0-0", 0, 1],
      ["bytes=9999999-10000999", 9_999_999, 10_001_000],
      ["bytes=-7", -7],
    ] as const) {
      const response = await fetch(file.url, { headers: { range } });
      equal(response.status, 206);
      deepEqual(Buffer.from(await response.bytes()), content.subarray(...part));
    }
    const asked = await fetch(file.url, { headers: { "if-none-match": `"${digestOf(content)}"` } });
    deepEqual([asked.status, await asked.text()], [304, ""]);
  });

  await check("a make shows a picture, and leads to a file, until another takes its place", async () => {
    const { slug } = await scene.done("POST /makes", { title: "A make" });
    const { media } = await scene.done(`POST /makes/${slug}/media`, formOf(sent));
    equal((await scene.ready(media.id)).sha256, picture.sha256);
    const small = randomBytes(99);
    const { id } = await scene.done(`POST /makes/${slug}/files`, formOf(small, { name }));
    const download = async () => {
      const { headers } = await scene.request(`GET /makes/${slug}/files/${id}/download`);
      return digestOf(await bytesOf(headers.get("location") ?? ""));
    };
    await scene.settle();
    equal(await download(), digestOf(small));
    await scene.done(`PATCH /makes/${slug}/files/${id}`, { mediaId: file.id });
    equal(await download(), digestOf(content));
  });

  await check("what was deleted leaves the store, and nothing else does", async () => {
    const { length } = await scene.swift.objects();
    await scene.done(`DELETE /media/${picture.id}`);
    await scene.settle();
    // The picture, and its thumbnail.
    equal((await scene.swift.objects()).length, length - 2);
    await judge(scene);
  });

  await proveAddresses(scene, file);
}

/** Our server hands out addresses of its own, and none of the store. */
async function proveAddresses(scene: Scene, { id }: Shown): Promise<void> {
  await check("an address with anything changed leads nowhere", async () => {
    const other = await scene.upload(formOf(randomBytes(9), { purpose: "file" }));
    const { url } = await scene.shown(id);
    for (const changed of [
      url.replace(id, other.id),
      url.replace(/expires=\d+/, "expires=9999999999"),
      url.replace(/signature=..../, "signature=0000"),
      url.replace(/\?.*/, ""),
    ])
      deepEqual([changed, (await fetch(changed)).status], [changed, 404]);
    equal((await fetch(url)).status, 200);
  });

  await check("an address ends in time", async () => {
    const { url } = await scene.shown(id);
    await scene.database.pass(2 * 3_600);
    equal((await fetch(url)).status, 404);
    equal((await fetch((await scene.shown(id)).url)).status, 200);
  });

  await check("nothing that the API has said leads to the store, or was signed for it", async () => {
    const words = [new URL(scene.wire.url).host, new URL(scene.swift.url).host, "AWS4", "X-Amz"];
    deepEqual(
      words.filter((word) => scene.said.includes(word)),
      [],
    );
  });
}
