import { PassThrough, Writable } from "node:stream";
import { confirm } from "@clack/prompts";
import { expect, test } from "vitest";
import { ask } from "../src/terminal/ask.ts";

/** A terminal on which somebody types. */
function typing(keys: string) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const output = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), {
    isTTY: true,
    columns: 80,
  });
  const answer = confirm({
    message: "Move production?",
    initialValue: false,
    input,
    output,
  });
  for (const key of keys) setImmediate(() => input.write(key));
  return answer;
}

test.each([
  ["\r", false],
  ["ls\r", false],
  ["hjkl\r", false],
  ["lll\r", false],
  [" \r", false],
  ["\n\r", false],
  ["\u001b[C\r", true],
  ["n", false],
  ["y", true],
])(
  "a question of yes or no is answered by y, n and arrows alone, and else by no: %j",
  async (keys, answer) => {
    // What it has set on the library, which asks here on a terminal of the test.
    expect(ask).toHaveProperty("confirm");
    expect(await typing(keys)).toBe(answer);
  },
);
