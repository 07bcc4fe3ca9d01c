import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { Agent, type ClientRequest, type IncomingMessage, request as send } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { makeFolder } from "../../database/folder.ts";
import { type FixtureServer, startFixtures } from "../../../test/fixtures.ts";

let server: FixtureServer;
let token: string;
let spool: string;

beforeAll(async () => {
  server = await startFixtures();
  spool = server.real.context.store.spoolFolder;
  makeFolder(spool);
  ({ token } = await server.real.join("alice"));
});
afterAll(() => server.stop());

const digest = (data: Uint8Array | string) => createHash("sha256").update(data).digest("hex");

/** A body sent in chunks, without a length. */
const chunked = (parts: number, part: string) => ({
  body: new ReadableStream({
    pull(controller) {
      if (parts-- > 0) controller.enqueue(new TextEncoder().encode(part));
      else controller.close();
    },
  }),
  duplex: "half" as const,
});

describe("a JSON body", () => {
  const put = (body: string | Uint8Array, type = "application/json") =>
    server.request("PUT /words/a", { token, body, headers: { "content-type": type } });

  test("is read as UTF-8, whatever parameters its content type has", async () => {
    for (const type of ["application/json", "application/json; charset=utf-8", "Application/JSON ;x=y"]) {
      expect((await put('{"said":"Grüße 🌍"}', type)).json).toEqual({ said: "Grüße 🌍" });
    }
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "sent as %j is refused, with the type that is expected",
    async (type) => {
      const { status, json } = await put('{"said":""}', type);
      expect([status, json.error.code]).toEqual([415, "unsupported_media_type"]);
      expect(json.error.message).toContain("application/json");
    },
  );

  test.each([
    ["nothing", ""],
    ["half an object", '{"said":'],
    ["two values", "{}{}"],
    ["invalid UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["a hundred opening brackets", "[".repeat(100)],
  ])("that is %s is invalid JSON", async (_what, body) => {
    const { status, json } = await put(body);
    expect([status, json.error.code]).toEqual([400, "invalid_json"]);
  });

  test.each([
    ["a text", '"said"'],
    ["null", "null"],
    ["a list", "[]"],
    ["nested four hundred deep", `${"[".repeat(400)}${"]".repeat(400)}`],
    ["of the wrong type inside", '{"said":1}'],
  ])("that is %s does not match the schema", async (_what, body) => {
    const { status, json } = await put(body);
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    expect(json.error.details.length).toBeGreaterThan(0);
  });

  test.each(["unknown", "__proto__", "a/b~c", "constructor"])(
    "with the field %s is refused with its path",
    async (name) => {
      const { status, json } = await put(`{"said":"","${name}":1}`);
      const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      expect([status, json.error.details]).toEqual([
        422,
        [{ path, code: "unrecognized_keys", message: expect.any(String) }],
      ]);
    },
  );

  test("with a hundred unknown fields gets an error that names twenty", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 1]));
    const { status, json } = await put(JSON.stringify(unknown));
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    expect(json.error.details).toHaveLength(20);
  });

  test("over its limit is refused, with or without a length", async () => {
    const long = await put(JSON.stringify({ said: "x".repeat(2000) }));
    expect([long.status, long.json.error.code]).toEqual([413, "payload_too_large"]);
    const response = await fetch(`${server.url}/api/v1/words/a`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...chunked(100, "x".repeat(100)),
    });
    expect(response.status).toBe(413);
  });

  test("at its limit is read", async () => {
    const around = JSON.stringify({ said: "" }).length;
    expect((await put(JSON.stringify({ said: "x".repeat(1000 - around) }))).status).toBe(200);
    expect((await put(JSON.stringify({ said: "x".repeat(1001 - around) }))).status).toBe(413);
  });

  test("of twenty megabytes is refused without being read to its end", async () => {
    const { status } = await put(new Uint8Array(20 * 1024 * 1024).fill(0x20));
    expect(status).toBe(413);
  });
});

describe("a JSON body that would be slow to parse", () => {
  const post = (body: string) =>
    server.request("POST /record", { body, headers: { "content-type": "application/json" } });
  const refusal = async (body: string) => {
    const { status, json } = await post(body);
    return [status, json.error.code, json.error.details?.[0].code, json.error.message];
  };

  test.each([
    ["only brackets", "[".repeat(1_000_000)],
    ["only objects", '{"a":'.repeat(200_000)],
    ["a list in a list", `{"said":${"[".repeat(100)}${"]".repeat(100)}}`],
    ["brackets after strings", `${JSON.stringify(['"]', "\\"]).slice(0, -1)},${"[".repeat(100)}`],
  ])("is refused for its depth before it is parsed: %s", async (_what, body) => {
    const message = "The request body is JSON more than 100 levels deep.";
    expect(await refusal(body)).toEqual([422, "validation_failed", "too_deep", message]);
  });

  test.each([
    ["numbers", `{"said":[${"1,".repeat(99_999)}1]}`],
    ["empty lists", `{"said":[${"[],".repeat(60_000)}1]}`],
    ["names", `{${Array.from({ length: 100_001 }, (_, i) => `"${i}":1`).join(",")}}`],
  ])("is refused for its many values: %s", async (_what, body) => {
    const message = "The request body is JSON of more than 100000 values.";
    expect(await refusal(body)).toEqual([422, "validation_failed", "too_big", message]);
  });

  test.each([
    ["brackets in a string", JSON.stringify({ said: "[{,".repeat(100_000) })],
    ["quotes and backslashes in a string", JSON.stringify({ said: '\\"[\\'.repeat(50_000) })],
  ])("is read if it only looks slow: %s", async (_what, body) => {
    expect((await post(body)).status).toBe(200);
  });

  test.each(['"', '"\\', "]]]]", ",", '""""', '{"said":"a"'])("is still invalid JSON: %s", async (body) => {
    expect((await refusal(body)).slice(0, 2)).toEqual([400, "invalid_json"]);
  });
});

describe("a body for an operation without one", () => {
  /** Not `fetch`, which sends no body with a GET. */
  const ask = async (route: string, body: string, headers: Record<string, string> = {}) => {
    const [method = "", path = ""] = route.split(" ");
    const request = send(`${server.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(!("transfer-encoding" in headers) && { "content-length": Buffer.byteLength(body) }),
        ...headers,
      },
    });
    const [response] = (await once(request.end(body), "response")) as [IncomingMessage];
    const text = (await response.toArray()).join("");
    return { status: response.statusCode, error: text === "" ? undefined : JSON.parse(text).error };
  };
  const routes = ["GET /tagged/a", "POST /touch", "PATCH /words/a"];

  test.each(routes)("is refused with the names of its fields: %s", async (route) => {
    const { status, error } = await ask(route, '{"a":1,"b/c":{}}');
    expect([status, error.code]).toEqual([422, "validation_failed"]);
    expect(error.details.map(({ path, code }: any) => [path, code])).toEqual([
      ["/a", "unrecognized_keys"],
      ["/b~1c", "unrecognized_keys"],
    ]);
  });

  test.each(routes)("is refused like an invalid JSON body: %s", async (route) => {
    const refused = [
      await ask(route, "a=1", { "content-type": "application/x-www-form-urlencoded" }),
      await ask(route, "{"),
      await ask(route, "[]"),
      await ask(route, " ".repeat(1024 * 1024 + 1)),
      await ask(route, '{"a":1}', { "transfer-encoding": "chunked" }),
    ];
    expect(refused.map(({ status, error }) => [status, error.code])).toEqual([
      [415, "unsupported_media_type"],
      [400, "invalid_json"],
      [422, "validation_failed"],
      [413, "payload_too_large"],
      [422, "validation_failed"],
    ]);
  });

  test.each(routes)("passes if it is empty or an empty object: %s", async (route) => {
    for (const body of ["", "{}", " {\n} "]) expect((await ask(route, body)).status).toBeLessThan(300);
  });

  test("leaves the connection open for the next request", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statuses = [];
    for (const length of [2_000_000, 10, 0]) {
      const request = send(`${server.url}/api/v1/tagged/a`, { agent, headers: { "content-length": length } });
      const [response] = (await once(request.end(" ".repeat(length)), "response")) as [IncomingMessage];
      statuses.push(response.statusCode);
      await once(response.resume(), "end");
    }
    agent.destroy();
    expect(statuses).toEqual([415, 415, 200]);
  });
});

describe("a body of text", () => {
  const post = (body: string | Uint8Array, type: string) =>
    server.request("POST /text", { token, body, headers: { "content-type": type } });

  test("is read in each of its media types", async () => {
    for (const type of ["text/csv", "application/x-ndjson; charset=utf-8"]) {
      expect((await post("a,ü\n", type)).json).toEqual({ said: "a,ü\n" });
    }
  });

  test("in another media type, or over its limit, is refused", async () => {
    expect((await post("a", "text/plain")).status).toBe(415);
    expect((await post("a".repeat(1001), "text/csv")).status).toBe(413);
  });

  test("whose sender disconnects in the middle is no failure of the server", async () => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "text/csv", "content-length": 900 };
    const request = send(`${server.url}/api/v1/text`, { method: "POST", headers });
    request.on("error", () => {}).write("a");
    await vi.waitFor(() => expect(server.real.context.holdings.bytes).toBe(1));
    request.destroy();
    await vi.waitFor(() => expect(server.real.context.holdings.bytes).toBe(0));
    expect(server.takeFaults()).toEqual([]);
  });

  test("that is invalid UTF-8 is refused, and not read in another encoding", async () => {
    const { status, json } = await post(Uint8Array.of(0x61, 0xe9, 0x62), "text/csv");
    expect([status, json.error?.code]).toEqual([422, "validation_failed"]);
  });
});

describe("a body of bytes", () => {
  const post = (body: Uint8Array) =>
    server.request("POST /bytes", { token, body, headers: { "content-type": "application/octet-stream" } });

  test("reaches its handler unchanged", async () => {
    const data = Uint8Array.from({ length: 3_000_000 }, (_, i) => i % 251);
    expect((await post(data)).json).toEqual({ said: digest(data) });
    expect((await post(new Uint8Array())).json).toEqual({ said: digest("") });
  });

  test("over its limit is refused", async () => {
    expect((await post(new Uint8Array(4 * 1024 * 1024))).status).toBe(200);
    expect((await post(new Uint8Array(4 * 1024 * 1024 + 1))).status).toBe(413);
  });
});

describe("a form", () => {
  const form = (...files: [name: string, content: string | Uint8Array<ArrayBuffer>, filename?: string][]) => {
    const made = new FormData();
    for (const [name, content, filename] of files) {
      if (filename === undefined) made.append(name, content as string);
      else made.append(name, new Blob([content], { type: "image/png" }), filename);
    }
    return made;
  };
  const post = (body: FormData) => server.request("POST /form", { token, body });
  const postRaw = (body: string, type = "multipart/form-data; boundary=x") =>
    server.request("POST /form", { token, body, headers: { "content-type": type } });
  const part = (name: string, content: string) =>
    `--x\r\ncontent-disposition: form-data; ${name}\r\n\r\n${content}\r\n`;
  const expectEmptySpool = () => vi.waitFor(() => expect(readdirSync(spool)).toEqual([]));

  test("gives its fields and files, which are deleted after the response", async () => {
    const data = Uint8Array.from({ length: 1024 * 1024 }, (_, i) => i % 251);
    const { status, json } = await post(
      form(["title", "Ein Bild"], ["picture", data, "größe.png"], ["empty", "", "e.txt"]),
    );
    expect([status, json.fields]).toEqual([201, { title: "Ein Bild" }]);
    expect(json.files).toMatchObject([
      {
        field: "picture",
        filename: "größe.png",
        mediaType: "image/png",
        size: data.length,
        sha256: digest(data),
      },
      { field: "empty", filename: "e.txt", size: 0, sha256: digest("") },
    ]);
    for (const { path } of json.files)
      expect([path.startsWith(spool), existsSync(path)]).toEqual([true, false]);
    await expectEmptySpool();
  });

  test("can have ten files", async () => {
    const files = Array.from({ length: 10 }, () => ["f", "x", "f"] as [string, string, string]);
    expect((await post(form(["title", "a"], ...files))).json.files).toHaveLength(10);
  });

  test("does not use a file's name as a path on our disk", async () => {
    const { json } = await post(form(["title", "a"], ["f", "x", "../../etc/passwd"]));
    expect(json.files[0].filename).toBe("passwd");
    expect(json.files[0].path).not.toContain("passwd");
  });

  test.each([
    ["a file over its limit", () => form(["title", "a"], ["f", new Uint8Array(1024 * 1024 + 1), "f"])],
    [
      "eleven files",
      () =>
        form(
          ["title", "a"],
          ...Array.from({ length: 11 }, () => ["f", "x", "f"] as [string, string, string]),
        ),
    ],
    [
      "fifty-one fields",
      () => form(...Array.from({ length: 51 }, (_, i) => [`f${i}`, "x"] as [string, string])),
    ],
    ["a field over 64 KiB", () => form(["title", "x".repeat(64 * 1024 + 1)])],
  ])("with %s is refused, and leaves nothing", async (_what, make) => {
    const { status, json } = await post(make());
    expect([status, json.error.code]).toEqual([413, "payload_too_large"]);
    await expectEmptySpool();
  });

  test.each([
    ["a field that is too long", () => form(["title", "x".repeat(21)], ["f", "x", "f"])],
    ["a field of 64 KiB, which is too long for it", () => form(["title", "x".repeat(64 * 1024)])],
    [
      "fifty fields, of which it knows one",
      () => form(["title", "a"], ...Array.from({ length: 49 }, (_, i) => [`f${i}`, "x"] as [string, string])),
    ],
    ["a missing field", () => form(["f", "x", "f"])],
    ["an unknown field", () => form(["title", "a"], ["titel", "b"])],
    ["a field named __proto__", () => form(["title", "a"], ["__proto__", "b"])],
  ])("with %s is refused, and leaves nothing", async (_what, make) => {
    const { status, json } = await post(make());
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    await expectEmptySpool();
  });

  test.each([
    ["no boundary", part('name="title"', "a"), "multipart/form-data"],
    ["an empty body", "", undefined],
    ["no end", part('name="title"', "a"), undefined],
    [
      "a file without an end",
      `${part('name="title"', "a")}${part('name="f"; filename="f"', "x".repeat(200_000))}`,
      undefined,
    ],
    ["a part without a header", "--x\r\n\r\na\r\n--x--\r\n", undefined],
    ["parts without a name", `${part('filename="f"', "a")}${part("x=y", "b")}--x--\r\n`, undefined],
    ["another boundary than its header has", part('name="title"', "a").replaceAll("--x", "--y"), undefined],
  ])("with %s is refused, and leaves nothing", async (_what, body, type) => {
    const { status, json } = await postRaw(body, type);
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    await expectEmptySpool();
  });

  test("with many parts is refused, though none has a name", async () => {
    const { status, json } = await postRaw(`${"--x\r\n\r\n1\r\n".repeat(61)}--x--\r\n`);
    expect([status, json.error.code]).toEqual([413, "payload_too_large"]);
    await expectEmptySpool();
  });

  /** Starts a form: its folder exists, and its end has not been sent. */
  async function begin(content: string): Promise<{ request: ClientRequest; folder: string }> {
    const request = send(`${server.url}/api/v1/form`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "multipart/form-data; boundary=x" },
    });
    request.on("error", () => {});
    request.write(content);
    const [name = ""] = await vi.waitUntil(() => readdirSync(spool).length === 1 && readdirSync(spool));
    return { request, folder: join(spool, name) };
  }

  test("whose sender disconnects in the middle of a file leaves nothing", async () => {
    const { request } = await begin(part('name="f"; filename="f"', "x".repeat(200_000)));
    request.destroy();
    await expectEmptySpool();
  });

  test("over its limit is refused although more of it comes, and leaves nothing", async () => {
    const { request } = await begin(part('name="f"; filename="f"', "x".repeat(200_000)).trimEnd());
    request.write("x".repeat(1024 * 1024));
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(413);
    request.destroy();
    await expectEmptySpool();
  });

  test.each([
    ["before its parts", ""],
    ["in the header of a part", "--x\r\nx: "],
    ["in a part without a name", "--x\r\n\r\n"],
    ["after its end", `${part('name="title"', "a")}--x--\r\n`],
  ])("without end %s is refused, and leaves nothing", async (_where, content) => {
    const { request } = await begin(content || "a");
    const isOver = once(request, "response");
    const more = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536, "a");
      })(),
    );
    more.pipe(request);
    const [response] = (await isOver) as [IncomingMessage];
    expect([response.statusCode, JSON.parse(await text(response)).error.code]).toEqual([
      413,
      "payload_too_large",
    ]);
    more.destroy();
    request.destroy();
    await expectEmptySpool();
  });

  test("that cannot be written to the disk gets 500, and leaves nothing", async () => {
    const { request, folder } = await begin(part('name="title"', "a"));
    rmSync(folder, { recursive: true });
    request.end(`${part('name="f"; filename="f"', "x".repeat(200_000))}--x--\r\n`);
    const [response] = await once(request, "response");
    expect(response.statusCode).toBe(500);
    expect(server.takeFaults()).toEqual([expect.stringContaining("ENOENT")]);
    await expectEmptySpool();
  });
});

describe("a header that the operation reads", () => {
  const call = (headers: Record<string, string>) => server.request("GET /ranged", { headers });

  test("reaches its handler", async () => {
    expect((await call({ "Content-Range": "bytes 0-9/10" })).json).toEqual({ said: "bytes 0-9/10" });
  });

  test("is named in the error if it is missing or invalid", async () => {
    for (const headers of [{}, { "content-range": "all of it" }]) {
      const { status, json } = await call(headers as Record<string, string>);
      expect([status, json.error.code, json.error.details[0].path]).toEqual([
        422,
        "validation_failed",
        "/content-range",
      ]);
    }
  });
});
