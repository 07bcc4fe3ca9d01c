import postgres from "postgres";
import { describe, expect, test } from "vitest";
import { batched } from "./batch.ts";

/** The error of a value that PostgreSQL cannot take. */
const refused = () => Object.assign(new postgres.PostgresError("invalid input syntax"), { code: "22P02" });

/** A load that answers when it is told to, and notes which keys it was given together. */
function held(most = 100) {
  const asked: (readonly string[])[] = [];
  const answers: (() => void)[] = [];
  const load = batched<string, string>(
    async (keys) => {
      asked.push(keys);
      await new Promise<void>((resolve) => answers.push(resolve));
      if (keys.includes("bad")) throw refused();
      if (keys.includes("away")) throw new Error("the database is away");
      return keys.map((key) => `row of ${key}`);
    },
    { most },
  );
  /** Answers what is asked, until nothing is. */
  const answerAll = async () => {
    for (let next = answers.shift(); next; next = answers.shift()) {
      next();
      await new Promise(setImmediate);
    }
  };
  return { asked, load, answerAll };
}

describe("loads in batches", () => {
  test("begin at once when nothing runs, and share the next when something does", async () => {
    const { asked, load, answerAll } = held();
    const rows = Promise.all(["a", "b", "c"].map(load));
    expect(asked).toEqual([["a"]]);
    await answerAll();
    expect(await rows).toEqual(["row of a", "row of b", "row of c"]);
    expect(asked).toEqual([["a"], ["b", "c"]]);
    const later = load("d");
    expect(asked.at(-1)).toEqual(["d"]);
    await answerAll();
    expect(await later).toBe("row of d");
  });

  test("are no larger than they may be", async () => {
    const { asked, load, answerAll } = held(2);
    const rows = Promise.all(["a", "b", "c", "d"].map(load));
    await answerAll();
    await rows;
    expect(asked).toEqual([["a"], ["b", "c"], ["d"]]);
  });

  test("answer each as it would be answered alone, whatever another does", async () => {
    const { asked, load, answerAll } = held();
    const rows = Promise.allSettled(["a", "b", "bad", "c"].map(load));
    await answerAll();
    expect((await rows).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(asked.slice(2).map((keys) => keys.length)).toEqual([1, 1, 1]);
  });

  test("fail together, and at once, when the database is away", async () => {
    const { asked, load, answerAll } = held();
    const rows = Promise.allSettled(["a", "b", "away"].map(load));
    await answerAll();
    expect((await rows).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(asked).toHaveLength(2);
  });
});
