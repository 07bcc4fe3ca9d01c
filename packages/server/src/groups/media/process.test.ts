import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
} from "mediabunny";
import { limits } from "@promptreg/core";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, upload, uploadOf, wave } from "../../../test/media.ts";
import { liftLimits } from "../../../test/stage.ts";
import { selectStorage } from "../../kernel/changes/account-bytes.ts";
import { closeSpool, openSpool } from "../../kernel/store/spool.ts";
import { endMedia, processMedia } from "./process.ts";
import { runProcessing } from "./processing/run.ts";
import { workOnMedia } from "./work.ts";
import { releaseMedia, takeMedia } from "./work.sql.ts";

let server: TestServer;
let alice: Person;
const noSignal = new AbortController().signal;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  alice = await server.join("alice");
});
afterAll(() => server.stop());

type Content = Uint8Array<ArrayBuffer> | string;
const bytes = (content: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(content);
const canvas = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } });

const processed = async (content: Content) => {
  const id = await upload(server, alice, content);
  return (await alice.request(`GET /media/${id}`)).json;
};
/** What is served of media. */
const served = async ({ url }: { url: string }): Promise<Buffer> =>
  Buffer.from(await (await fetch(url)).arrayBuffer());
const rejected = async (content: Content) => {
  const { status, rejectReason, url } = await processed(content);
  expect([status, url]).toEqual(["rejected", null]);
  return rejectReason;
};

describe("a picture", () => {
  test("loses its metadata, is turned as it is to be seen, and gets a thumbnail", async () => {
    const sent = await canvas(1200, 800)
      .withExif({ IFD0: { Artist: "alice" }, IFD3: { GPSLatitude: "52/1 30/1 0/1", GPSLatitudeRef: "N" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect((await sharp(sent).metadata()).exif).toBeDefined();
    const media = await processed(bytes(sent));
    expect(media).toMatchObject({ mediaType: "image/jpeg", width: 800, height: 1200, status: "ready" });
    const whole = await served(media);
    expect(await sharp(whole).metadata()).toMatchObject({ format: "jpeg", width: 800, height: 1200 });
    for (const part of ["exif", "icc", "xmp", "iptc", "orientation"] as const)
      expect([part, (await sharp(whole).metadata())[part]]).toEqual([part, undefined]);
    expect(whole.length).toBe(media.size);
    const thumbnail = await served({ url: media.thumbnailUrl });
    expect(await sharp(thumbnail).metadata()).toMatchObject({ format: "webp", width: 320, height: 480 });
  });

  test("keeps its transparency, and becomes WebP unless it is a JPEG or a PNG", {
    tags: "long",
  }, async () => {
    const clear = sharp({
      create: { width: 5, height: 5, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    });
    const types: [Buffer, string][] = [
      [await clear.clone().png().toBuffer(), "image/png"],
      [await clear.clone().webp().toBuffer(), "image/webp"],
      [await clear.clone().avif().toBuffer(), "image/webp"],
      [await clear.clone().gif().toBuffer(), "image/webp"],
    ];
    for (const [content, mediaType] of types) {
      const media = await processed(bytes(content));
      expect(media).toMatchObject({ mediaType, width: 5, height: 5 });
      expect((await sharp(await served(media)).metadata()).hasAlpha).toBe(true);
    }
  });

  /** An AVIF with two pictures, since each of its lists has its only entry twice. Of the second there is one byte. */
  async function twice(): Promise<Buffer> {
    let avif = await canvas(20, 10).avif().toBuffer();
    const lists = [
      { boxes: ["iloc", "meta"], length: 18, idAt: 0 },
      { boxes: ["iinf", "meta"], length: 21, idAt: 12 },
      { boxes: ["ipma", "iprp", "meta"], length: 6, idAt: 0 },
    ];
    const startOf = (box: string) => avif.indexOf(box) - 4;
    const add = (at: number, more: number) => avif.writeUInt32BE(avif.readUInt32BE(at) + more, at);
    for (const { boxes, length, idAt } of lists) {
      const start = startOf(boxes[0]!);
      const end = start + avif.readUInt32BE(start);
      const entry = Buffer.from(avif.subarray(end - length, end));
      entry.writeUInt16BE(2, idAt);
      avif.writeUInt8(2, end - length - 1);
      for (const box of boxes) add(startOf(box), length);
      avif = Buffer.concat([avif.subarray(0, end), entry, avif.subarray(end)]);
    }
    for (const nth of [0, 1]) add(startOf("iloc") + 20 + 18 * nth, 18 + 21 + 6);
    avif.writeUInt32BE(1, startOf("iloc") + 30 + 18);
    return avif;
  }

  test("with others beside it, as an AVIF can have, is shown alone", { tags: "long" }, async () => {
    const sent = await twice();
    expect((await sharp(sent).metadata()).pages).toBe(2);
    const media = await processed(bytes(sent));
    expect(media).toMatchObject({ mediaType: "image/webp", width: 20, height: 10, status: "ready" });
    expect((await sharp(await served(media)).metadata()).pages ?? 1).toBe(1);
  });

  test("that moves still does, up to 500 pictures", { tags: "long" }, async () => {
    const animation = async (count: number) => {
      const colours = Array.from({ length: count }, (_, n) => [(n * 97) % 256, (n * 31) % 256, n >> 1]);
      const frames = colours.map((colour) => Buffer.from(png({ width: 8, height: 6, colour })));
      return sharp(frames, { join: { animated: true } })
        .gif({ loop: 0 })
        .toBuffer();
    };
    const media = await processed(bytes(await animation(3)));
    expect(media).toMatchObject({ mediaType: "image/webp", width: 8, height: 6 });
    expect((await sharp(await served(media)).metadata()).pages).toBe(3);
    expect((await sharp(await served({ url: media.thumbnailUrl })).metadata()).pages ?? 1).toBe(1);
    expect(await rejected(bytes(await animation(501)))).toBe(
      "The animation has 501 pictures. It can have 500.",
    );
    const folder = await openSpool(server.context.store.spoolFolder);
    const path = join(folder, "sent");
    writeFileSync(path, await animation(3));
    const task = { path, folder, kind: "image", mediaType: "image/gif" } as const;
    const ofAtMost = (maxFrames: number) =>
      runProcessing({ ...task, images: { maxPixels: 1_000, maxFrames } }, { signal: noSignal });
    expect(await ofAtMost(3)).toMatchObject({ mediaType: "image/webp", width: 8, height: 6 });
    await expect(ofAtMost(2)).rejects.toThrow("The animation has 3 pictures. It can have 2.");
    await closeSpool(folder);
  });

  test.each<[string, () => Content | Promise<Content>, RegExp]>([
    [
      "says that it has 60,000 × 60,000 pixels",
      () => png({ width: 60_000, height: 60_000, rows: 0 }),
      /too large/,
    ],
    [
      "ends in the middle",
      async () => bytes((await canvas(300, 300).jpeg().toBuffer()).subarray(0, 400)),
      /damaged/,
    ],
    ["has no pixels", () => png({ rows: 0 }), /damaged/],
    ["is a script that begins like a GIF", () => "GIF89a=1;alert(1)//", /damaged/],
    [
      "says that it is a JPEG, and is nothing",
      () => bytes(Buffer.from("ffd8ffe000104a46494600", "hex")),
      /damaged/,
    ],
  ])("that %s is rejected", async (_what, content, reason) => {
    expect(await rejected(await content())).toMatch(reason);
  });

  test("that is a page as well is none in what is served", async () => {
    const jpeg = await canvas(20, 20).jpeg().toBuffer();
    const both = Buffer.concat([jpeg, Buffer.from("<html><script>alert(1)</script></html>")]);
    expect((await served(await processed(bytes(both)))).includes("<script>")).toBe(false);
  });
});

describe("a 3D model", () => {
  const glb = (scene: object | string, { length = undefined as number | undefined } = {}) => {
    const text = typeof scene === "string" ? scene : JSON.stringify(scene);
    const json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
    const head = Buffer.alloc(20);
    head.write("glTF", 0, "latin1");
    [2, length ?? 20 + json.length, json.length].forEach((value, nth) =>
      head.writeUInt32LE(value, 4 + 4 * nth),
    );
    head.write("JSON", 16, "latin1");
    return bytes(Buffer.concat([head, json]));
  };
  const scene = { asset: { version: "2.0" } };

  test("stays as it was sent", { tags: "long" }, async () => {
    const inside = {
      ...scene,
      buffers: [{ byteLength: 1, uri: "data:application/octet-stream;base64,AA==" }],
    };
    for (const content of [glb(scene), glb(inside)]) {
      const media = await processed(content);
      expect(media).toMatchObject({
        kind: "model3d",
        mediaType: "model/gltf-binary",
        sha256: media.sent.sha256,
      });
    }
    const binary = new Uint8Array(84 + 50);
    binary[80] = 1;
    for (const content of ["solid a\nfacet normal 0 0 1\nendsolid a\n", binary])
      expect(await processed(content)).toMatchObject({
        kind: "model3d",
        mediaType: "model/stl",
        status: "ready",
      });
  });

  test.each<[string, Content, RegExp]>([
    [
      "leads to other files",
      glb({ ...scene, images: [{ uri: "https://tracker.example/a.png" }] }),
      /names other files/,
    ],
    [
      "names a buffer beside it",
      glb({ ...scene, buffers: [{ byteLength: 4, uri: "a.bin" }] }),
      /names other files/,
    ],
    ["says a length that it has not", glb(scene, { length: 1_000_000 }), /damaged/],
    ["has a scene that is no JSON", glb("{"), /damaged/],
    ["has a scene of null", glb("null"), /damaged/],
    ["is only a mark", bytes(Buffer.from("glTF")), /damaged/],
  ])("that %s is rejected", async (_what, content, reason) => {
    expect(await rejected(content)).toMatch(reason);
  });
});

describe("a video", () => {
  /** A second of pictures of 64 × 48 pixels, which nobody decodes, in a container. */
  async function video(format: Mp4OutputFormat | WebMOutputFormat, codec: "avc" | "vp8") {
    const target = new BufferTarget();
    const output = new Output({ format, target });
    const source = new EncodedVideoPacketSource(codec);
    output.addVideoTrack(source, { frameRate: 10 });
    await output.start();
    const decoderConfig = {
      codec: codec === "avc" ? "avc1.42c00a" : "vp8",
      codedWidth: 64,
      codedHeight: 48,
      ...(codec === "avc" && {
        description: Buffer.from("0142c00affe1000867420000000000000100046800000000", "hex"),
      }),
    };
    for (let nth = 0; nth < 10; nth++) {
      const packet = new EncodedPacket(Buffer.from("0000000265880000", "hex"), "key", nth / 10, 0.1);
      await source.add(packet, nth === 0 ? { decoderConfig } : undefined);
    }
    await output.finalize();
    return new Uint8Array(target.buffer!);
  }

  test("says how large and how long it is, and stays as it was sent", { tags: "long" }, async () => {
    for (const [format, codec, mediaType] of [
      [new Mp4OutputFormat(), "avc", "video/mp4"],
      [new WebMOutputFormat(), "vp8", "video/webm"],
    ] as const) {
      const media = await processed(await video(format, codec));
      expect(media).toMatchObject({ kind: "video", mediaType, width: 64, height: 48, durationMs: 1_000 });
      expect([media.sha256, media.thumbnailUrl]).toEqual([media.sent.sha256, null]);
    }
  });
});

describe("a sound", () => {
  /** A second of it in a container of videos, with room for others, of so many bytes. */
  async function soundOf(size: number) {
    const target = new BufferTarget();
    const output = new Output({ format: new Mp4OutputFormat(), target });
    const source = new EncodedAudioPacketSource("aac");
    output.addAudioTrack(source);
    await output.start();
    const decoderConfig = {
      codec: "mp4a.40.2",
      numberOfChannels: 1,
      sampleRate: 8_000,
      description: Buffer.from("1588", "hex"),
    };
    await source.add(new EncodedPacket(Buffer.alloc(8), "key", 0, 1), { decoderConfig });
    await output.finalize();
    const free = Buffer.alloc(size - target.buffer!.byteLength);
    free.writeUInt32BE(free.length);
    free.write("free", 4);
    return bytes(Buffer.concat([new Uint8Array(target.buffer!), free]));
  }

  test("says how long it is", async () => {
    const wanted = { kind: "audio", mediaType: "audio/wav", durationMs: 1_000, width: null, status: "ready" };
    expect(await processed(wave())).toMatchObject(wanted);
  });

  test("in a container of videos is bounded as a sound", { tags: "long" }, async () => {
    const wanted = { kind: "audio", mediaType: "audio/mp4", durationMs: 1_000, status: "ready" };
    expect(await processed(await soundOf(limits.audioBytes))).toMatchObject(wanted);
    expect(await rejected(await soundOf(limits.audioBytes + 1))).toMatch(/sound, and can have 25 MiB/);
  });

  test.each<[string, Content]>([
    ["an MP3 of nothing", "ID3\u0004\0\0\0\0\0\0"],
    [
      "an MP4 without tracks",
      bytes(Buffer.from("0000001c667479706d703432000000006d70343269736f6d61766331", "hex")),
    ],
  ])("or a video that is %s is rejected", async (_what, content) => {
    expect(await rejected(content)).toMatch(/damaged/);
  });
});

describe("the process that reads media", () => {
  const images = { maxPixels: 1, maxFrames: 1 };
  const task = {
    path: "/nowhere/a.glb",
    folder: "/nowhere",
    kind: "model3d",
    mediaType: "model/gltf-binary",
    images,
  } as const;

  test("says where the fault is ours", { tags: "long" }, async () => {
    const reading = runProcessing(task, { signal: noSignal });
    await expect(reading).rejects.toThrow(/^the processing of media failed: Error: ENOENT/);
  });

  test("is not started for work that has ended", async () => {
    const reading = runProcessing(task, { signal: AbortSignal.abort(new Error("stopping")) });
    await expect(reading).rejects.toThrow("stopping");
  });

  test("that cannot be started says so", async () => {
    const { execPath } = process;
    process.execPath = "/nowhere/node";
    const reading = runProcessing(task, { signal: noSignal });
    process.execPath = execPath;
    await expect(reading).rejects.toThrow(/spawn .*ENOENT/);
  });
});

describe("work on media", () => {
  beforeEach(() => server.workOff());
  async function take(content: Content = png()) {
    const { json } = await alice.request("POST /media", { body: uploadOf(content) });
    const held = await takeMedia(server.sql, crypto.randomUUID());
    expect(held?.id).toBe(json.id);
    return held!;
  }
  const get = async (id: string) => (await alice.request(`GET /media/${id}`)).json;
  const spool = () => readdirSync(server.context.store.spoolFolder);

  test("that takes too much memory or time rejects them, and leaves nothing", { tags: "long" }, async () => {
    const large = bytes(await canvas(4_000, 4_000).png().toBuffer());
    for (const [bounds, reason] of [
      [{ memoryMb: 40, ms: 60_000 }, "Reading it needs more memory than media may use."],
      [{ memoryMb: 1_024, ms: 1 }, "Reading it takes longer than media may take."],
    ] as const) {
      const held = await take(large);
      const before = (await selectStorage(server.sql, alice.id)).stored;
      await processMedia(server.context, held, { signal: noSignal, bounds });
      expect(await get(held.id)).toMatchObject({ status: "rejected", rejectReason: reason });
      expect(before - (await selectStorage(server.sql, alice.id)).stored).toBe(large.length);
      expect(spool()).toEqual([]);
    }
  });

  test("ends when its process is asked to, and is taken again", async () => {
    const held = await take();
    const stopping = new AbortController();
    const work = processMedia(server.context, held, { signal: stopping.signal });
    stopping.abort(new Error("stopping"));
    await expect(work).rejects.toThrow(/stopping|abort/);
    await server.sql`update media set leased_until = clock() where id = ${held.id}`;
    await server.workOff();
    expect((await get(held.id)).status).toBe("ready");
  });

  test("is given back at once by a process that stops, and was no attempt", async () => {
    const { json } = await alice.request("POST /media", { body: uploadOf(png()) });
    const work = workOnMedia(server.context);
    await work.sweep?.({ overdueSeconds: 0 });
    await work.stop?.();
    const held = await takeMedia(server.sql, crypto.randomUUID());
    expect(held).toMatchObject({ id: json.id, attempts: 1 });
    await releaseMedia(server.sql, held!, { pauseSeconds: 0, isAttempt: false });
  });

  test("is done again by others if nothing is heard of a process, and what comes late changes nothing", {
    tags: "long",
  }, async () => {
    const held = await take();
    const lose = () => server.sql`update media set leased_until = clock() where id = ${held.id}`;
    const takeNext = () => takeMedia(server.sql, crypto.randomUUID());
    await lose();
    expect(await takeNext()).toMatchObject({ id: held.id, attempts: 2 });
    await releaseMedia(server.sql, held, { pauseSeconds: 0, isAttempt: false });
    expect(await takeNext()).toBe(null);
    await lose();
    await server.workOff();
    const ready = await get(held.id);
    expect(ready.status).toBe("ready");
    await processMedia(server.context, held, { signal: noSignal });
    await endMedia(server.context, held, "late");
    expect(await get(held.id)).toEqual(ready);
  });

  test("is tried a third time", { tags: "long" }, async () => {
    const held = await take();
    await server.sql`update media set attempts = 2, leased_until = clock() where id = ${held.id}`;
    await server.workOff();
    expect((await get(held.id)).status).toBe("ready");
  });

  test("goes on with the next of an account once the one before is done", { tags: "long" }, async () => {
    const ids: string[] = [];
    for (const _ of [1, 2]) ids.push((await alice.request("POST /media", { body: uploadOf(png()) })).json.id);
    const work = workOnMedia(server.context);
    await work.sweep?.({ overdueSeconds: 0 });
    await work.idle?.();
    const statuses = await Promise.all(ids.map(async (id) => (await get(id)).status));
    expect(statuses).toEqual(["ready", "ready"]);
  });

  test("leaves to another what that takes at the same time", async () => {
    const { json } = await alice.request("POST /media", { body: uploadOf(png()) });
    await server.sql.begin(async (sql) => {
      await sql`select from media where id = ${json.id} for no key update`;
      expect(await takeMedia(server.sql, crypto.randomUUID())).toBe(null);
    });
  });

  test("makes nothing of other bytes than were sent", { tags: "long" }, async () => {
    const held = await take();
    const { store } = server.context;
    const others = { get: () => Promise.resolve(Readable.from([png({ width: 9 })])) };
    const context = Object.assign(Object.create(server.context), {
      store: Object.assign(Object.create(store), others),
    });
    await expect(processMedia(context, held, { signal: noSignal })).rejects.toThrow(/other bytes/);
    expect(await get(held.id)).toMatchObject({ status: "processing", sha256: null });
    await endMedia(server.context, held, "Other bytes");
  });

  test("that fails holds up no other media of the account", async () => {
    const held = await take();
    await server.context.store.delete(held.fileKey);
    await server.sql`update media set leased_until = clock() where id = ${held.id}`;
    await server.workOff();
    // It waits for its next attempt.
    expect((await get(held.id)).status).toBe("processing");
    expect((await processed(png())).status).toBe("ready");
    await endMedia(server.context, held, "Lost");
  });

  test("that breaks off three times rejects them", async () => {
    const { sql, context } = server;
    const held = await take();
    await context.store.delete(held.fileKey);
    for (let time = 2; time <= 3; time++) {
      expect((await get(held.id)).status).toBe("processing");
      await sql`update media set leased_until = clock() where id = ${held.id}`;
      await server.workOff();
    }
    expect((await get(held.id)).rejectReason).toMatch(/Something went wrong on the server/);
  });

  test("waits as long as the store is away, and says nothing of the media by that", {
    tags: "long",
  }, async () => {
    const { sql, context } = server;
    const held = await take();
    const again = async () => {
      await sql`update media set leased_until = clock() where id = ${held.id}`;
      await server.workOff();
    };
    const { store } = context;
    const away = () => Promise.reject(Object.assign(new Error("away"), { code: "ECONNREFUSED" }));
    context.store = Object.assign(Object.create(store), { get: away });
    for (let time = 0; time < 5; time++) await again();
    expect((await get(held.id)).status).toBe("processing");
    context.store = store;
    await again();
    expect((await get(held.id)).status).toBe("ready");
  });

  test("on media that are deleted meanwhile comes to nothing", { tags: "long" }, async () => {
    const held = await take();
    expect((await alice.request(`DELETE /media/${held.id}`)).status).toBe(204);
    expect((await processed(png())).status).toBe("ready");
    await server.sql`update media set leased_until = clock() where id = ${held.id}`;
    expect(await takeMedia(server.sql, crypto.randomUUID())).toBe(null);
    await processMedia(server.context, held, { signal: noSignal }).catch(() => {});
    const rows = await server.sql`select from stored_files where used_by = ${held.id}`;
    expect(rows.count).toBe(0);
  });

  test("on media that somebody deletes at that moment comes to nothing", { tags: "long" }, async () => {
    const held = await take();
    await server.atOnce(
      (deleting) => deleting`update media set deleted_at = clock() where id = ${held.id}`,
      [() => processMedia(server.context, held, { signal: noSignal }) as Promise<never>],
    );
    const [row] = await server.sql`select status, file_key from media where id = ${held.id}`;
    expect(row).toEqual({ status: "processing", file_key: held.fileKey });
  });

  test("takes turns between accounts, one at a time of each", { tags: "long" }, async () => {
    const people = [await server.join("bob"), await server.join("carol")] as const;
    const ids: string[] = [];
    for (const person of [people[0], people[0], people[1]])
      ids.push((await person.request("POST /media", { body: uploadOf(png()) })).json.id);
    const next = async () => (await takeMedia(server.sql, crypto.randomUUID()))?.id;
    expect([await next(), await next(), await next()]).toEqual([ids[0], ids[2], undefined]);
    await server.sql`update media set leased_until = clock() where status = 'processing'`;
    await server.workOff();
    // Who never had a turn is before who had one, whoever came first.
    const sent: string[] = [];
    for (const person of [people[0], await server.join("dave")])
      sent.push((await person.request("POST /media", { body: uploadOf(png()) })).json.id);
    expect([await next(), await next()]).toEqual(sent.toReversed());
    await server.sql`update media set leased_until = clock() where status = 'processing'`;
    await server.workOff();
  });

  test("that is another's ends at the time that its lease says", { tags: "long" }, async () => {
    const held = await take();
    await server.setClock(new Date(Date.now() + 1_800_000).toISOString());
    await server.sql`update media set leased_until = clock() where id = ${held.id}`;
    const next = await takeMedia(server.sql, crypto.randomUUID());
    expect(next?.id).toBe(held.id);
    await endMedia(server.context, next!, "Ended");
  });

  test("leaves in the store what is served, and nothing else", { tags: "long" }, async () => {
    await server.setClock(new Date(Date.now() + 3_600_000).toISOString());
    await server.workOff();
    const rows = await server.sql<
      { key: string }[]
    >`select key from stored_files where used_by is not null order by key`;
    const files = readdirSync(server.context.store.place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
    await expect(buffer(await server.context.store.get(files[0] ?? ""))).resolves.toBeDefined();
    expect(files).toEqual(rows.map(({ key }) => key));
  });
});
