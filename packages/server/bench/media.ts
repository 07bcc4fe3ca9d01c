/** A video of 100 MB, up and down, against a bare server that streams into the same store and out of it. */
import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request, type RequestOptions } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { isShort } from "../../../scripts/short.ts";
import { withRegistry } from "./side.ts";
import { median } from "./deliveries/print.ts";

const rounds = isShort ? 1 : 15;

// What begins so is a video, and stays as it was sent.
const video = Buffer.concat([
  Buffer.from("0000001c667479706d703432000000006d70343269736f6d61766331", "hex"),
  randomBytes((isShort ? 1 : 100) * 1_000_000),
]);
const form = Buffer.concat([
  Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n'),
  video,
  Buffer.from("\r\n--x--\r\n"),
]);

await withRegistry(async ({ origin, token, sql, store }) => {
  const floor = fork(join(import.meta.dirname, "media/floor.ts"), [store], {
    execArgv: ["--conditions=@promptreg/source"],
  });
  const [port] = (await once(floor, "message")) as [number];
  const bare = `http://127.0.0.1:${port}`;
  const address = origin.replace(/prompts$/, "media");
  const headers = { authorization: `Bearer ${token}` };
  const upload = async () => {
    const sent = {
      method: "POST",
      headers: { ...headers, "content-type": "multipart/form-data; boundary=x" },
    };
    return JSON.parse(String(await buffer(await ask(address, sent, form)))) as { id: string };
  };
  const { id } = await upload();
  await sql`update media set status = 'ready' where id = ${id}`;
  const { url } = JSON.parse(String(await buffer(await ask(`${address}/${id}`, { headers })))) as {
    url: string;
  };
  const { port: ownPort } = new URL(address);
  const signed = url.replace(/^http:\/\/[^/]+/, `http://127.0.0.1:${ownPort}`);
  const down = async (from: string) => {
    const response = await ask(from);
    response.resume();
    await once(response, "end");
  };
  await compare("upload", () => ask(bare, { method: "POST" }, form).then(buffer), upload, 0.6);
  await compare(
    "download",
    () => down(bare),
    () => down(signed),
    0.7,
  );
  floor.kill();
});

/** The answer to a request, of a client that costs little on the same two cores. */
async function ask(url: string, options: RequestOptions = {}, body?: Buffer): Promise<IncomingMessage> {
  const [response] = (await once(request(url, options).end(body), "response")) as [IncomingMessage];
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${url} answered ${response.statusCode}`);
  return response;
}

async function compare(
  name: string,
  least: () => Promise<unknown>,
  ours: () => Promise<unknown>,
  limit: number,
): Promise<void> {
  const times: { floor: number; ours: number }[] = [];
  for (let round = -1; round < rounds; round++) {
    const time = { floor: await timeOf(least), ours: await timeOf(ours) };
    if (round >= 0) times.push(time);
  }
  const [floorMs, oursMs] = [median(times.map(({ floor }) => floor)), median(times.map((time) => time.ours))];
  const ratio = median(times.map((time) => time.floor / time.ours));
  console.log(
    `${name.padEnd(10)} bare ${floorMs.toFixed(0)} ms  ours ${oursMs.toFixed(0)} ms  ratio ${ratio.toFixed(2)} (limit ${limit})`,
  );
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
