import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environmentOf } from "../../test/commands.ts";
import { createDatabase, startTestServer, type TestDatabase } from "../../test/harness.ts";
import { cleanUp, launch, start } from "../../test/process.ts";
import { until } from "../../test/waiting.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await cleanUp();
  await database.drop();
});

/** Sends a request on a connection that is kept, and gives its status and whether the response ends the connection. */
async function ask(url: string, agent: Agent): Promise<{ status: number | undefined; isLast: boolean }> {
  const request = get(url, { agent });
  const [response] = await once(request, "response");
  response.resume();
  await once(response, "end");
  return { status: response.statusCode, isLast: response.headers.connection === "close" };
}

test("after SIGTERM, requests on kept connections are served and end these, while /readyz sends new ones elsewhere", async () => {
  const server = await start(["serve"], { ...environmentOf(database), DRAIN_SECONDS: "2" });
  const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const path = `${server.url}/api/v1/prompts`;
  for (const agent of agents) expect(await ask(path, agent)).toEqual({ status: 200, isLast: false });
  server.child.kill("SIGTERM");
  await until(async () => (await ask(`${server.url}/readyz`, agents[0]!)).status === 503);
  for (const agent of agents.slice(1)) expect(await ask(path, agent)).toEqual({ status: 200, isLast: true });
  expect((await server.ended).code).toBe(0);
  for (const agent of agents) agent.destroy();
});

test("a connection that was opened ahead, and never used, holds up no stop", { tags: "long" }, async () => {
  const own = await startTestServer({ database: await createDatabase() });
  const { port, hostname } = new URL(own.url);
  const ahead = connect(Number(port), hostname);
  await once(ahead, "connect");
  const ended = once(ahead.resume(), "close").then(() => "at once");
  const stopped = own.stop();
  // Whatever is left then is ended after eight seconds.
  expect(await Promise.race([ended, delay(6_000, "late")])).toBe("at once");
  await stopped;
});

test("a start waits for a database that is not up yet, and says so once", { tags: "long" }, async () => {
  const target = new URL(database.url);
  // Nobody listens there yet.
  const reserved = createServer().listen(0, "127.0.0.1");
  await once(reserved, "listening");
  const { port } = reserved.address() as { port: number };
  await new Promise((resolve) => reserved.close(resolve));
  const late = new URL(database.url);
  late.port = String(port);
  const environment = { ...environmentOf({ ...database, url: late.href }), DATABASE_WAIT_SECONDS: "60" };
  const server = launch(["serve"], environment);
  await until(() => /"msg":"Waiting up to 60 s for the database/.test(server.output()));
  await delay(600);
  const proxy = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    socket.pipe(upstream).pipe(socket);
    for (const one of [socket, upstream]) one.on("error", () => {});
  }).listen(port, "127.0.0.1");
  await until(() => /ready in/.test(server.output()));
  expect(server.output().match(/Waiting/g)).toHaveLength(1);
  expect((await server.stop()).code).toBe(0);
  proxy.close();
});

test("a start warns of links that lead nowhere, and of variables that mean nothing, and Ctrl-C waits for no balancer", {
  tags: "long",
}, async () => {
  const server = await start(["serve"], {
    ...environmentOf(database),
    DRAIN_SECONDS: "600",
    HOST: "0.0.0.0",
    PROMPTREG_SECRT: "x",
    RATE_LIMIT: "off",
  });
  expect(server.output()).toMatch(
    /^ +WARNING +links and events begin with http:\/\/0\.0\.0\.0:\d+, which leads nowhere from elsewhere: set PUBLIC_URL$/m,
  );
  expect(server.output()).toMatch(/^ +WARNING +unknown variables are ignored: PROMPTREG_SECRT, RATE_LIMIT /m);
  expect((await server.stop("SIGINT")).code).toBe(0);
});
