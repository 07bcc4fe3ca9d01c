import { contract, listOperations } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fresh, methodOf, request, send } from "../test/contract/requests.ts";
import { startTestServer, type TestServer } from "../test/harness.ts";
import { liftLimits, TestStage } from "../test/stage.ts";

/** A row stays of what was deleted. */
const gone = [410, "gone"];
/** Nothing stays of it. */
const missing = [404, "not_found"];
/** That it is not there is all that was asked for. */
const again = [expect.toBeOneOf([200, 204]), undefined];
/** What the second of two equal requests answers (decision 0018). */
const decided: Record<string, unknown[]> = {
  "prompts.delete": gone,
  "evals.datasets.delete": gone,
  "makes.delete": gone,
  "posts.delete": gone,
  "posts.series.delete": missing,
  "examples.delete": gone,
  "prompts.labels.delete": missing,
  "evals.datasets.cases.delete": missing,
  "evals.runs.delete": missing,
  "webhooks.delete": missing,
  "collections.delete": missing,
  "media.delete": missing,
  "collections.items.delete": missing,
  "comments.delete": missing,
  "contests.entries.delete": missing,
  "makes.files.delete": missing,
  "makes.media.delete": missing,
  "makes.parts.delete": missing,
  "makes.prompts.unlink": missing,
  "prompts.draft.delete": again,
  "prompts.versions.unyank": again,
  "collections.items.removeByTarget": again,
  "stars.prompts.remove": again,
  "stars.makes.remove": again,
  "comments.unhide": again,
  "contests.entries.unvote": again,
  "votes.delete": again,
  "watch.delete": again,
  "discord.link.delete": again,
};

const deletes = listOperations(contract).filter(({ operation }) => methodOf(operation) === "DELETE");
let server: TestServer;
let stage: TestStage;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  const owner = await server.join("alice", { role: "moderator" });
  stage = new TestStage({ server, owner, viewer: await server.join("mallory") });
});
afterAll(() => server.stop());

describe("a second DELETE", () => {
  test("is decided for every DELETE of the contract", () => {
    expect(deletes.map(({ id }) => id).sort()).toEqual(Object.keys(decided).sort());
  });

  test.for(deletes)("answers as decided: $id", async ({ id, operation }) => {
    const staging = { id, operation, stage };
    const parts = request(staging, await fresh(staging));
    // Nobody votes on what is their own.
    const who = id === "votes.delete" ? stage.viewer : stage.owner;
    expect((await send(staging, who, parts)).status).toBeOneOf([200, 204]);
    const { status, json } = await send(staging, who, parts);
    expect([status, json?.error?.code]).toEqual(decided[id]);
  });
});
