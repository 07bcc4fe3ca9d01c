import { afterAll, describe, expect, test } from "vitest";
import { startRegistry } from "./registry.ts";

// An operator makes contests, and no operation does.
const registry = await startRegistry();
afterAll(() => registry.close());

const contest = (...args: string[]) => registry.cli(["contest", ...args]);
const [first, second] = ["ent_01jd0000000000000000000001", "ent_01jd0000000000000000000002"];
const entry = {
  id: first,
  type: "prompt",
  target: { ref: "ada/greet", slug: "greet", title: "Greet" },
  versionNumber: 3,
  entrant: { handle: "ada" },
  statement: null,
  votes: null,
  score: null,
  rank: null,
};
const time = "2026-11-20T09:30:00.000Z";
const times = { opensAt: time, entriesCloseAt: time, votingClosesAt: time, judgingClosesAt: time };
const won = { ...entry, votes: 4, score: 8.1333, rank: 1 };
const ofMake = {
  ...entry,
  id: second,
  type: "make",
  target: { slug: "a-bot", title: "A bot" },
  statement: "It asks first",
  versionNumber: null,
};
const page = (...items: object[]) => ({ json: { items, nextCursor: null } });

describe("contest", () => {
  test("view and entries show works by the names that enter takes, and ranks once there are any", async () => {
    const about = {
      slug: "best",
      title: "Best",
      status: "closed",
      accepts: ["prompt"],
      kinds: ["text"],
      description: "Who reviews best?",
      rules: "1. One entry each\n2. Be kind\n",
      prizes: "",
      winners: [won],
    };
    const rules = {
      judges: [{ handle: "bob" }],
      criteria: [{ key: "use", label: "Use", weight: 2 }],
      votesPerUser: 3,
      entriesPerUser: 1,
    };
    registry.answer("GET /contests/best/entries?limit=100", page(entry, ofMake));
    registry.answer("GET /contests/best", { json: { ...about, ...times, ...rules } });
    const { stdout } = await contest("view", "best");
    expect(stdout).toMatch(/^takes\tprompt, of kind text$/m);
    expect(stdout).toMatch(/^criteria\tuse ×2$/m);
    expect(stdout).toMatch(/^entries\t2$/m);
    expect(stdout).toMatch(/^judges\tbob$/m);
    expect(stdout).toContain(
      "\n\ndescription\nWho reviews best?\n\nrules\n1. One entry each\n2. Be kind\n\n",
    );
    expect(stdout).toMatch(new RegExp(`^1\t${first}\tada/greet\t3\tada\t4\t8\\.13\tGreet\t$`, "m"));
    registry.answer("GET /contests/best", { json: { ...about, ...times, ...rules, winners: [] } });
    expect((await contest("view", "best")).stdout).toMatch(/2\. Be kind\n$/);
    registry.answer("GET /contests/best/entries?sort=random&limit=30", page(entry, ofMake));
    expect((await contest("entries", "best", "--sort", "random")).stdout).toMatch(
      /make:a-bot\t\tada\t\t\tA bot\tIt asks first$/m,
    );
    const around = { isTTY: true, columns: 80, env: { NO_COLOR: "1" } };
    expect((await registry.cli(["contest", "entries", "best", "--sort", "random"], around)).stdout).toMatch(
      new RegExp(`A bot\n  ${second}  make:a-bot  It asks first$`, "m"),
    );
    registry.answer("GET /contests/best/entries?mine=true&limit=30", page());
    expect((await contest("entries", "best", "--mine")).stderr).toBe("best has no entries.\n");
  });

  test("eligible says why something cannot be entered", async () => {
    const work = (reason: string | null, entered = false) => ({
      type: entry.type,
      target: entry.target,
      reason,
      entered,
    });
    registry.answer(
      "GET /contests/best/eligible?type=prompt&limit=30",
      page(work(null), work("kind_not_accepted"), work(null, true)),
    );
    registry.answer("GET /contests/best", { json: { status: "open", ...times } });
    const { stdout } = await contest("eligible", "best", "--type", "prompt");
    expect(stdout.match(/can be entered|kind not accepted|entered/g)).toEqual([
      "can be entered",
      "kind not accepted",
      "entered",
    ]);
    const state = async (status: string) => {
      registry.answer("GET /contests/best", { json: { status, ...times } });
      return (await contest("eligible", "best", "--type", "prompt")).stdout.split("\t")[1];
    };
    expect(await state("scheduled")).toBe(`can be entered from ${time}`);
    expect(await state("voting")).toBe("the contest takes no more entries");
  });

  test("enter, withdraw, vote and score send what they are given", async () => {
    registry.answer("POST /contests/best/entries", ({ body }) => ({
      status: 201,
      json: { ...entry, ...(body as object) },
    }));
    expect((await contest("enter", "best", "make:a-bot", "--statement", "Look")).stdout).toBe(
      "make:a-bot is in best\n",
    );
    expect(registry.seen.at(-1)?.body).toEqual({ type: "make", id: "a-bot", statement: "Look" });
    registry.answer(`DELETE /contests/best/entries/${first}`, { status: 204, text: "" });
    const { asked, stdout } = await registry.cli(["contest", "withdraw", "best", first], { answers: [true] });
    expect([asked, stdout]).toEqual([
      [`Withdraw ${first} from best, with the votes for it?`],
      `${first} is withdrawn\n`,
    ]);
    const again = await contest("withdraw", "best", first, "--yes", "--json");
    expect(JSON.parse(again.stdout)).toEqual({ id: first, deleted: true });
    registry.answer(`POST /contests/best/entries/${first}/vote`, { json: { voted: true, votesLeft: 2 } });
    expect((await contest("vote", "best", first)).stdout).toMatch(/votes left\t2/);
    registry.answer(`PUT /contests/best/entries/${first}/score`, { json: {} });
    const score = ["score", "best", first, "--give", "use=8", "--give", "style=6.5"];
    expect((await contest(...score)).stdout).toBe(`${first} has your score: use 8, style 6.5\n`);
    expect(registry.seen.at(-1)?.body).toEqual({ scores: { use: 8, style: 6.5 } });
  });

  test("enter says what can be entered, and that a capital is what is wrong", async () => {
    for (const [what, message] of [
      ["Ada/Greet", "what: Write owner/slug or make:slug, in lower case."],
      ["ada/greet@3", "what: Write owner/slug or make:slug, without a version or label."],
      ["post:pst_1", "what: Posts do not compete. Write owner/slug or make:slug."],
    ] as const)
      expect((await contest("enter", "best", what)).stderr).toMatch(
        new RegExp(`^error: ${message.replaceAll(".", "\\.")}\n`),
      );
  });

  test("takes no other addresses and scores", async () => {
    for (const args of [
      ["vote", "best", "ada/greet"],
      ["enter", "best", "ada/greet@3"],
      ["score", "best", first, "--give", "use=11"],
      ["score", "best", first, "--give", "use"],
      ["score", "best", first],
    ])
      expect([args, (await contest(...args)).exitCode]).toEqual([args, 2]);
  });
});
