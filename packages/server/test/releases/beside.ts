import { join as pathOf } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { contract, listOperations } from "@promptreg/core";
import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { connect } from "../../src/database/open.ts";
import { openSecretBox } from "../../src/kernel/secrets/secret-box.ts";
import { copyDatabase, dropDatabase } from "../../src/testing/databases.sql.ts";
import { join } from "../../src/testing/world.sql.ts";
import { fresh, request, send } from "../contract/requests.ts";
import { discordKeys } from "../discord.ts";
import { closeEndpoints, openEndpoint } from "../endpoints.ts";
import type { Person, TestServer } from "../harness.ts";
import { type ServerProcess, start } from "../process.ts";
import { moveLabel, publish } from "../prompts.ts";
import { exchange } from "../requests.ts";
import { TestStage } from "../stage.ts";

type Release = "last" | "today";
const both: readonly Release[] = ["last", "today"];
const otherThan = (release: Release): Release => (release === "last" ? "today" : "last");

interface Proof {
  /** A PostgreSQL, as a URL of its maintenance database. */
  postgresUrl: string;
  /** The tree of the last release. */
  folder: string;
  /** Which of them is on the database first. */
  first: Release;
}

const secret = "a secret of two releases, of 32 bytes or more";
const moves = 20;

/** Runs the last release and this one on one database, and says what went wrong. */
export async function proveBeside({ postgresUrl, folder, first }: Proof): Promise<string[]> {
  const admin = parseDatabaseUrl(postgresUrl);
  const address = await copyDatabase(admin, { template: "template0", prefix: "promptreg_releases" });
  const env = {
    DATABASE_URL: new URL(`/${address.database}`, postgresUrl).href,
    PROMPTREG_SECRET: secret,
    PROMPTREG_UNSAFE_WEBHOOKS: "1",
    RATE_LIMITS: "off",
    DISCORD_APPLICATION_ID: "100000000000000001",
    DISCORD_PUBLIC_KEY: Buffer.from(
      discordKeys.publicKey.export({ format: "jwk" }).x ?? "",
      "base64url",
    ).toString("hex"),
  };
  const running: ServerProcess[] = [];
  const startOne = async (release: Release, ...args: string[]): Promise<ServerProcess> => {
    const main = release === "last" && { main: pathOf(folder, "packages/server/src/main.ts") };
    const one = await start(args, env, { ...main });
    running.push(one);
    return one;
  };
  const sql = connect(address);
  try {
    // Scenes bring about states of an import that a worker would go on from.
    const serve = (release: Release) => startOne(release, "serve", "--no-worker");
    const earlier = await serve(first);
    // So it has prepared its statements when the other one migrates.
    const problems = await askAll(
      await stageOf("before", earlier),
      await stageOf("before", earlier),
      "alone",
    );
    const later = await serve(otherThan(first));
    const servers = { [first]: earlier, [otherThan(first)]: later } as Record<Release, ServerProcess>;
    for (const release of both) {
      const maker = await stageOf(`by-${release}`, servers[release]);
      const asked = await stageOf(`by-${release}`, servers[otherThan(release)]);
      problems.push(...(await askAll(maker, asked, `made by ${release}`)));
    }
    for (const release of both) await startOne(release, "worker");
    problems.push(
      ...(await deliver({
        last: await stageOf("both", servers.last),
        today: await stageOf("both", servers.today),
      })),
    );
    return [...new Set([...problems, ...running.flatMap(faultsOf)])];
  } finally {
    await closeEndpoints();
    for (const one of running) await one.stop();
    await sql.end();
    await dropDatabase(admin, address);
  }

  /** A stage at one of the two, whose owner has the same account at both. */
  async function stageOf(handle: string, { url }: ServerProcess): Promise<TestStage> {
    const person = async (handle: string, options?: Parameters<typeof join>[2]): Promise<Person> => {
      const { id, token } = await join(sql, handle, options);
      return { id, handle, token, request: (route, call) => exchange(url, route, { token, ...call }) };
    };
    const anonymous: Person["request"] = (route, call) => exchange(url, route, call);
    // What scenes use of a server.
    const server = {
      url,
      sql,
      join: person,
      anonymous,
      nobody: { request: anonymous },
      context: { secrets: openSecretBox(secret) },
    } as unknown as TestServer;
    // Some operations are for moderators alone.
    const owner = await person(handle, { role: "moderator" });
    return new TestStage({ server, owner, viewer: await person(`${handle}-viewer`) });
  }
}

/** The operations that a server has, by their ids. */
async function operationsOf({ server }: TestStage): Promise<Set<string>> {
  const { json: document } = await exchange(server.url, "GET /openapi.json");
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  return new Set(operations);
}

/** Has `maker` make what each operation that both have is about, and sends it to `asked`. */
async function askAll(maker: TestStage, asked: TestStage, when: string): Promise<string[]> {
  const problems: string[] = [];
  const known = await Promise.all([maker, asked].map(operationsOf));
  for (const { id, operation } of listOperations(contract)) {
    if (!known.every((ids) => ids.has(id))) continue;
    try {
      const subject = { id, operation, stage: maker };
      const parts = request(subject, await fresh(subject));
      const { status, text } = await send({ ...subject, stage: asked }, asked.owner, parts);
      if (status >= 400) problems.push(`${id}, ${when}: ${status} ${text}`);
    } catch (error) {
      problems.push(`${id}, ${when}: ${error instanceof Error ? error.message : "unknown error"}`);
    }
  }
  return problems;
}

/** Events of both reach a webhook once each, whoever sends them. */
async function deliver(stages: Record<Release, TestStage>): Promise<string[]> {
  const { server, owner } = stages.last;
  await publish(owner, "delivered", { versions: 2 });
  const endpoint = await openEndpoint(server, owner, { events: ["prompt.label.moved"] });
  for (let move = 0; move < moves; move++)
    await moveLabel(stages[both[move % 2] ?? "last"].owner, "delivered", `label-${move}`);
  const until = Date.now() + 60_000;
  while (endpoint.received.length < moves && Date.now() < until) await delay(100);
  const names = endpoint.received.map(({ event }) =>
    event.event === "prompt.label.moved" ? event.data.label.name : event.event,
  );
  return new Set(names).size === moves && names.length === moves
    ? []
    : [`${moves} events were delivered as ${names.length}: ${names.join(", ")}`];
}

/** The errors in a server's log. */
const faultsOf = (server: ServerProcess): string[] =>
  server
    .output()
    .split("\n")
    .filter((line) => /"level":[56]0/.test(line));
