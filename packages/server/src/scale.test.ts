import { expect, test } from "vitest";
import { openClient } from "../test/scale/client.ts";
import { proveScale } from "../test/scale/scale.ts";
import { startTestServer, type TestServer } from "../test/harness.ts";
import { small } from "../test/seed/registry.ts";
import { seed } from "../test/seed/seed.ts";
import { parseDatabaseUrl } from "./database/connection.ts";

const size = {
  ...small,
  prompts: 1_000,
  days: 1,
  owners: 20,
  texts: 250,
  one: {
    prompts: 0,
    watches: 10,
    versions: 10,
    labels: 2,
    moves: 10,
    runs: 2,
    results: 10,
    deliveries: 10,
    notifications: 10,
  },
};

// The long form is `npm run prove -- scale`: a million prompts, and limits for the times that are compared here.
test("labels, lists far in, searches to their end and the ranking are as they should be", async () => {
  const servers = await Promise.all([startTestServer(), startTestServer()]);
  const sides = await Promise.all(servers.map(sideOf));
  try {
    await seed(parseDatabaseUrl(sides[0]!.url), size);
    const { figures, problems } = await proveScale({
      full: sides[0]!,
      empty: sides[1]!,
      secrets: servers[0].context.secrets,
      rounds: 1,
    });
    expect(problems).toEqual([]);
    expect(figures.length).toBeGreaterThan(30);
  } finally {
    for (const { client } of sides) client.close();
    for (const server of servers) await server.stop();
  }
});

const sideOf = async ({ url, sql, database }: TestServer) => ({
  url: database.url,
  sql,
  client: await openClient(url),
});
