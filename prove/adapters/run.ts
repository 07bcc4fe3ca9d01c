/** Hands one prompt to the real SDKs: to their types, and to a fetch that records what they send. */
import { deepEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { calls } from "./calls.ts";
import { expected, prompt } from "./expected.ts";

const modules = join(import.meta.dirname, "../../node_modules");
const tsc = (args: string) =>
  execFileSync(process.execPath, [join(modules, "typescript/bin/tsc"), ...args.split(" ")], {
    cwd: import.meta.dirname,
    stdio: "inherit",
  });
tsc("-b ../../packages/client");
tsc(
  `--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --module nodenext --target es2024 --types node --typeRoots ${modules}/@types calls.ts`,
);
console.log("✓ what the adapters give fits the types of the SDKs");

const answers: Record<string, object> = {
  "/v1/chat/completions": {
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Yes" } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  "/v1/responses": { output: [] },
  "/v1/messages": { role: "assistant", content: [{ type: "text", text: "Yes" }] },
};

const given = structuredClone(prompt);
for (const [name, call] of Object.entries(calls)) {
  let sent: unknown;
  await call(prompt, async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    sent = JSON.parse(init?.body as string);
    return Response.json(answers[pathname]);
  });
  deepEqual(sent, expected[name], name);
  // It is kept for the next one who asks.
  deepEqual(prompt, given, `${name} changes what it is given`);
  console.log(`✓ ${name} sends what the prompt says`);
}
