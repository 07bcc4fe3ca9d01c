import { createHash, createHmac, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { buffer, text } from "node:stream/consumers";
// @ts-expect-error -- it has no types
import S3rver from "s3rver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer } from "../../../test/harness.ts";
import { png, uploadOf } from "../../../test/media.ts";
import { codeOf } from "../../../test/requests.ts";
import { readConfig } from "../../config.ts";
import { asApiError } from "../failures/as-api-error.ts";
import { S3Store } from "./s3-store.ts";

const folder = mkdtempSync(join(tmpdir(), "promptreg-s3-"));
const bucketFolder = join(folder, "buckets");
let s3: { run(): Promise<AddressInfo>; close(): Promise<void> };
let endpoint: string;

beforeAll(async () => {
  s3 = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: bucketFolder,
    configureBuckets: [{ name: "media", configs: [] }],
  });
  const { port } = await s3.run();
  endpoint = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await s3.close();
  rmSync(folder, { recursive: true });
});

const configOf = (at: string) =>
  readConfig({
    MEDIA_STORE: `s3://media/registry?endpoint=${at}&region=eu-central-1`,
    AWS_ACCESS_KEY_ID: "S3RVER",
    AWS_SECRET_ACCESS_KEY: "S3RVER",
  }).mediaStore!;
const open = (at = endpoint) => new S3Store(configOf(at), folder);

function fileOf(content: Uint8Array | string) {
  const path = join(folder, randomUUID());
  writeFileSync(path, content);
  return { path, size: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}
const objects = () =>
  readdirSync(bucketFolder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("_object"));

test("a bucket has what was put, whole and in parts, until it is deleted", async () => {
  const store = open();
  const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, n) => n % 251));
  await store.put("a1", fileOf(content));
  expect(content.equals(await buffer(await store.get("a1")))).toBe(true);
  expect(await buffer(await store.get("a1", { start: 250, end: 252 }))).toEqual(content.subarray(250, 253));
  expect(objects()).toEqual([expect.stringContaining("media/registry/a1")]);
  await store.delete("a1");
  await store.delete("a1");
  await expect(store.get("a1")).rejects.toThrow("the store has nothing under a1");
  expect(objects()).toEqual([]);
});

test("a server takes uploads into a bucket, reads, serves and deletes them", async () => {
  const server = await startTestServer({ mediaStore: configOf(endpoint) });
  const alice = await server.join("alice");
  const { json } = await alice.request("POST /media", { body: uploadOf(png()) });
  await server.workOff();
  const { url, thumbnailUrl, sha256 } = (await alice.request(`GET /media/${json.id}`)).json;
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect(createHash("sha256").update(whole).digest("hex")).toBe(sha256);
  const part = await fetch(url, { headers: { range: "bytes=1-3" } });
  expect([part.status, await part.text()]).toEqual([206, "PNG"]);
  expect((await fetch(thumbnailUrl)).status).toBe(200);
  expect((await alice.request(`DELETE /media/${json.id}`)).status).toBe(204);
  await server.workOff();
  expect(objects()).toEqual([]);
  await server.stop();
});

/** Whether a request is signed with a secret as S3 wants it, and its body is the one that was signed. */
async function isSigned(request: IncomingMessage, secret: string): Promise<boolean> {
  const [, day = "", region = "", names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=\w+\/(\d{8})\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/.exec(
      request.headers.authorization ?? "",
    ) ?? [];
  const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");
  const hmac = (key: Buffer | string, data: string) => createHmac("sha256", key).update(data).digest();
  const bodyDigest = String(request.headers["x-amz-content-sha256"]);
  const headers = names.split(";").map((name) => `${name}:${String(request.headers[name])}\n`);
  const canonical = [request.method, request.url, "", headers.join(""), names, bodyDigest].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${secret}`, day));
  const isWhole = bodyDigest === sha256(await buffer(request)) || bodyDigest === "UNSIGNED-PAYLOAD";
  return isWhole && names.includes("x-amz-date") && hmac(key, text).toString("hex") === signature;
}

test("every request is signed, a put with the digest of its bytes", async () => {
  const asked: [method: string | undefined, isSigned: boolean][] = [];
  const sent: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    sent.push(request.headers);
    void isSigned(request, "S3RVER").then((signed) => {
      asked.push([request.method, signed]);
      response.writeHead(200, { "x-amz-meta-key": "a1" }).end("a");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const config = configOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const store = new S3Store(config, folder);
  const file = fileOf("some bytes");
  await store.put("a1", file);
  await buffer(await store.get("a1"));
  await store.delete("a1");
  expect(asked).toEqual([
    ["PUT", true],
    ["GET", true],
    ["DELETE", true],
  ]);
  const credentials = { ...config.credentials, secretAccessKey: "another" };
  await new S3Store({ ...config, credentials }, folder).delete("a1");
  expect(asked.at(-1)).toEqual(["DELETE", false]);
  expect(sent[0]).toMatchObject({ "content-length": "10", "x-amz-content-sha256": file.sha256 });
  server.close();
});

describe("a store that", () => {
  let fake: Server | undefined;
  const answering = async (answer: RequestListener) => {
    fake?.closeAllConnections();
    fake = createServer(answer).listen(0, "127.0.0.1");
    await new Promise((resolve) => fake?.once("listening", resolve));
    return open(`http://127.0.0.1:${(fake.address() as AddressInfo).port}`);
  };
  afterAll(() => fake?.closeAllConnections());
  const codesOf = async (store: S3Store) => {
    const acts = [() => store.put("a1", fileOf("a")), () => store.get("a1"), () => store.delete("a1")];
    return Promise.all(
      acts.map((act) =>
        act().then(
          () => "done",
          (error: unknown) => asApiError(error).code,
        ),
      ),
    );
  };
  const away = ["unavailable", "unavailable", "unavailable"];

  // Such as for a key that has expired, and for a disk that is full.
  test.each([301, 400, 403, 500, 503, 507])("answers %i is away", async (status) => {
    const store = await answering((_, response) =>
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end("<Code>No</Code>"),
    );
    expect(await codesOf(store)).toEqual(away);
  });

  test("says endlessly why is away", async () => {
    const store = await answering((_, response) => {
      response.writeHead(500);
      const write = () => response.write("x".repeat(65_536), () => response.destroyed || setImmediate(write));
      write();
    });
    expect(await codesOf(store)).toEqual(away);
  });

  test("accepts requests and never answers is away in time, whatever memory is collected meanwhile", {
    tags: "long",
  }, async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const silent = createSocketServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const at = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const collecting = setInterval(collect, 50);
    const store = new S3Store(configOf(at), folder, { answerMs: 500, putMs: 500 });
    try {
      await expect(store.get("a1")).rejects.toThrow("the store cannot be reached (AbortError)");
      await expect(store.delete("a1")).rejects.toThrow("the store cannot be reached (TimeoutError)");
      await expect(store.put("a1", fileOf("a"))).rejects.toThrow(
        "the store cannot be reached (TimeoutError)",
      );
    } finally {
      clearInterval(collecting);
      silent.close();
    }
  });

  test("is not there is away", async () => {
    expect(await codesOf(open("http://127.0.0.1:1"))).toEqual(away);
  });

  test("answers with somebody else's bytes has none", async () => {
    const foreign = await answering((_, response) =>
      response.writeHead(200, { "x-amz-meta-key": "b2" }).end("theirs"),
    );
    await expect(foreign.get("a1")).rejects.toThrow("the store answered with something else than a1");
    const whole = await answering((_, response) =>
      response.writeHead(200, { "x-amz-meta-key": "a1" }).end("all"),
    );
    await expect(whole.get("a1", { start: 1, end: 2 })).rejects.toThrow("something else than a1");
    const otherPart = await answering((_, response) =>
      response.writeHead(206, { "x-amz-meta-key": "a1", "content-range": "bytes 0-1/3" }).end("al"),
    );
    await expect(otherPart.get("a1", { start: 1, end: 2 })).rejects.toThrow("something else than a1");
    const copied = await answering((_, response) => response.writeHead(200).end("ours"));
    await expect(copied.get("a1")).rejects.toMatchObject({
      code: "ECONNSTORE",
      message: expect.stringContaining("without x-amz-meta-key"),
    });
  });

  test("has no bucket is away, and lacks no file", async () => {
    const store = await answering((_, response) =>
      response.writeHead(404).end("<Error><Code>NoSuchBucket</Code></Error>"),
    );
    await expect(store.get("a1")).rejects.toThrow("the store answered GET with 404 NoSuchBucket");
  });

  test("breaks off in the middle gives no file that seems whole", async () => {
    const store = await answering((_, response) => {
      response.writeHead(200, { "x-amz-meta-key": "a1", "content-length": "100" }).write("half of it");
      setTimeout(() => response.destroy(), 50);
    });
    await expect(text(await store.get("a1"))).rejects.toThrow("terminated");
  });

  test("is away is named in the log at the start", async () => {
    const log: { msg: string }[] = [];
    const server = await startTestServer({
      mediaStore: configOf("http://127.0.0.1:1"),
      log: { write: (line) => void log.push(JSON.parse(line) as { msg: string }) },
    });
    await expect
      .poll(() => log.map(({ msg }) => msg), { timeout: 60_000 })
      .toContainEqual(expect.stringMatching("^the store of pictures does not do as asked"));
    await server.stop();
  });

  // Whoever may not list a bucket is refused what is not there. Some stores say the same to whom they do not believe.
  test("refuses to read what is not there is named in the log at the start if it refuses to delete it, too", {
    tags: "long",
  }, async () => {
    let status = 0;
    const asked: string[] = [];
    const { place } = await answering(({ method = "" }, response) => {
      asked.push(method);
      response.writeHead(method === "DELETE" ? status : 403).end("<Code>AccessDenied</Code>");
    });
    const log: { err?: { message: string } }[] = [];
    for (status of [204, 403]) {
      const server = await startTestServer({
        mediaStore: configOf(new URL(place).origin),
        log: { write: (line) => void log.push(JSON.parse(line) as (typeof log)[number]) },
      });
      await expect.poll(() => asked.splice(0), { timeout: 60_000 }).toContain("DELETE");
      await expect.poll(() => log.length, { timeout: 60_000 }).toBe(status === 403 ? 1 : 0);
      await server.stop();
    }
    expect(log.map(({ err }) => err?.message)).toEqual(["the store answered DELETE with 403 AccessDenied"]);
  });

  test("is away refuses uploads, and nothing else", async () => {
    const server = await startTestServer({ mediaStore: configOf("http://127.0.0.1:1") });
    const alice = await server.join("alice");
    const { status, json } = await alice.request("POST /media", {
      body: uploadOf("a", "a", { purpose: "file" }),
    });
    expect([status, json.error.code]).toEqual([503, "unavailable"]);
    expect(codeOf(await alice.request("GET /me"))).toEqual([200, undefined]);
    await server.stop();
  });
});
