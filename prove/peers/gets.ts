import { LangfuseClient } from "@langfuse/client";
import { createClient } from "@promptreg/client";
import { Client as LangSmith } from "langsmith";
import { templateOf, token } from "../../packages/client/bench/prompt.ts";
import { compare } from "../../scripts/bench/compare.ts";
import { asLangfuse, asLangSmith, asRegistry, serveJson } from "./stubs.ts";
import { printTable, printVerdict } from "./table.ts";

/** What each serves from its memory, of a prompt that it has asked a stub for; and what a cold start asks. */
export async function compareGets(): Promise<void> {
  const { gets, counts, close } = await connect();
  for (const get of Object.values(gets)) await Promise.all(Array.from({ length: 1_000 }, get));
  const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
  printTable("Requests of 1,000 gets of one key at once, cold", rows);
  console.log("\nA cached get: calls a second, and the speed as a multiple of ours");
  printVerdict(await compare("cached get", gets));
  close();
}

/** A client of each, on a stub of its own that counts what it is asked. */
async function connect() {
  const content = templateOf(4_096);
  const counts = { "@promptreg/client": 0, "@langfuse/client": 0, langsmith: 0 };
  const counted = (name: keyof typeof counts, answer: ReturnType<typeof asRegistry>) =>
    serveJson((path) => {
      counts[name] += 1;
      return answer(path);
    });
  const stubs = await Promise.all([
    counted("@promptreg/client", asRegistry(content)),
    counted("@langfuse/client", asLangfuse(content)),
    counted("langsmith", asLangSmith(content)),
  ]);
  const [ours, langfuses, langsmiths] = stubs.map(({ url }) => url);
  const handle = createClient({ baseUrl: ours, token }).prompt("bench/reply@production");
  const langfuse = new LangfuseClient({ baseUrl: langfuses, publicKey: "pk", secretKey: "sk" });
  const langsmith = new LangSmith({ apiUrl: langsmiths, apiKey: "key" });
  return {
    counts,
    gets: {
      "@promptreg/client": () => handle.get(),
      "@langfuse/client": () => langfuse.prompt.get("reply", { label: "production" }),
      langsmith: () => langsmith.pullPromptCommit("reply:production"),
    },
    close: () => {
      langsmith.cleanup();
      for (const stub of stubs) stub.close();
    },
  };
}
