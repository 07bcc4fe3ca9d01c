/** Compares the client with the least possible work, and with ky alone, on which it is built. */
import { createClient } from "@promptreg/client";
import { renderVersion } from "@promptreg/client/template";
import ky from "ky";
import { compare } from "../../../scripts/bench/compare.ts";
import { compareImports } from "./imports.ts";
import { baseUrl, filled, promptOf, templateOf, token, values } from "./prompt.ts";
import { isShort } from "../../../scripts/short.ts";

const ref = "bench/reply@production";
const { body } = promptOf(templateOf(4_096));
let requests = 0;
const answered = { "content-type": "application/json", etag: '"v1"', "x-request-id": "req-1" };
const answer = () => {
  requests += 1;
  return Promise.resolve(new Response(body, { headers: answered }));
};

await cachedGet();
await coldGets();
await uncachedCall();
await compileAlone();
for (const { name, times } of await compareImports()) print(name, { times, limit: 1.3 });

async function cachedGet(): Promise<void> {
  const handle = createClient({ baseUrl, token, fetch: answer }).prompt(ref);
  const known = new Map([[ref, await handle.get()]]);
  const { get = 0 } = await compare("cached get", {
    floor: () => Promise.resolve(known.get(ref)),
    get: () => handle.get(),
  });
  print("a cached get, relative to a Map lookup and a resolved promise", { times: 1 / get, limit: 1.5 });
}

async function coldGets(): Promise<void> {
  requests = 0;
  const client = createClient({ baseUrl, token, fetch: answer });
  await Promise.all(Array.from({ length: 1_000 }, () => client.prompt(ref).get()));
  const isMet = requests === 1;
  console.log(`1,000 gets of one key at once, cold: ${requests} request (limit 1) ${isMet ? "✓" : "✗"}`);
}

/**
 * The same address, headers, limits and response. The measure is an instance of ky, set up once, as its users do. For
 * information, a bare ky that gets all options with each call.
 */
async function uncachedCall(): Promise<void> {
  const { body } = promptOf("Reply to {{variable_0}}.");
  const fetch = () => Promise.resolve(new Response(body, { headers: answered }));
  const client = createClient({ baseUrl, token, fetch });
  const searchParams = { view: "version", label: "production" } as const;
  const statusCodes = [408, 429, 500, 502, 503, 504];
  const methods: ("get" | "put" | "delete" | "post")[] = ["get", "put", "delete", "post"];
  const delay = (count: number) => 300 * 2 ** (count - 1);
  const options = {
    headers: { authorization: `Bearer ${token}` },
    timeout: 30_000,
    totalTimeout: 60_000,
    retry: { limit: 2, methods, statusCodes, afterStatusCodes: statusCodes, delay, jitter: true },
    fetch,
  };
  const api = ky.create({ ...options, prefix: `${baseUrl}/api/v1` });
  const url = `${baseUrl}/api/v1/prompts/bench/reply?view=version&label=production`;
  const { client: ours = 0 } = await compare(
    "uncached call",
    {
      "ky.create": () => api.get("prompts/bench/reply", { searchParams }).json(),
      client: () => client.prompts.get({ owner: "bench", slug: "reply", query: searchParams }),
      "ky bare": () => ky(url, options).json(),
    },
    { rounds: 101 },
  );
  print("CPU of an uncached call, relative to an instance of ky", { times: 1 / ours, limit: 1 });
}

/** `npm run prove -- peers` compares it with mustache and others. */
async function compileAlone(): Promise<void> {
  const { content } = await createClient({ baseUrl, token, fetch: answer }).prompt(ref).get();
  const pieces = templateOf(4_096).split(/\{\{\w+\}\}/);
  const texts = Object.values(values);
  if (renderVersion(content, values).text !== filled(4_096)) throw new Error("The compiled text is wrong.");
  await compare("compile 4 KB, 10 variables", {
    concatenate: () => pieces.map((piece, index) => piece + (texts[index] ?? "")).join(""),
    compile: () => renderVersion(content, values),
  });
}

function print(name: string, { times, limit }: { times: number; limit: number }): void {
  const verdict = isShort ? "" : times <= limit ? "✓" : "✗";
  console.log(`${name}: ${times.toFixed(2)} times (limit ${limit}) ${verdict}`);
}
