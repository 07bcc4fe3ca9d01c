import { spawnSync } from "node:child_process";
import { createClient } from "@promptreg/client";
import { renderVersion } from "@promptreg/client/template";
import { filled, templateOf, token, values } from "../../packages/client/bench/prompt.ts";
import { compare } from "../../scripts/bench/compare.ts";
import { isShort } from "../../scripts/short.ts";
import { asLangfuse, asRegistry, serveJson } from "./stubs.ts";
import { printTable, printVerdict } from "./table.ts";

const bytes = 4_096;
const names = ["@promptreg/client", "mustache", "@langfuse/client"] as const;
type Name = (typeof names)[number];
const coldCalls = [1, 1_000, 40_000];
const processes = isShort ? 1 : 21;

/** Filling in 4 KB with ten variables: when all is warm, and the first calls of a process. */
export async function compareCompile(): Promise<void> {
  const works: Record<string, Compile> = {};
  for (const name of names) {
    const compile = (works[name] = await makers[name](templateOf(bytes)));
    const result = compile();
    if ((typeof result === "string" ? result : result.text) !== filled(bytes))
      throw new Error(`${name} filled the template in wrongly.`);
  }
  console.log(
    "\nCompiling 4 KB with 10 variables, warm: calls a second, and the speed as a multiple of ours",
  );
  printVerdict(await compare("compile", works));
  compareCold();
}

/** In processes of their own, in turns; the time of the first calls together. */
function compareCold(): void {
  const rounds = Array.from({ length: processes }, (_, round) => {
    const turns = [...names.slice(round % names.length), ...names.slice(0, round % names.length)];
    return Object.fromEntries(turns.map((name) => [name, runCold(name)])) as Record<Name, number[]>;
  });
  const rows = coldCalls.map((calls, index) => {
    const timeOf = (round: Record<Name, number[]>, name: Name) => round[name][index] ?? 0;
    const cells = names.map((name) => {
      const ms = median(rounds.map((round) => timeOf(round, name)));
      const ratio = median(rounds.map((round) => timeOf(round, names[0]) / timeOf(round, name)));
      return `${ms.toFixed(2)} ms, ${ratio.toFixed(2)}`;
    });
    return [calls.toLocaleString("en"), ...cells];
  });
  printTable("The first calls of a process, together, and the speed as a multiple of ours", [
    ["calls", ...names],
    ...rows,
  ]);
}

function runCold(name: Name): number[] {
  const { stdout } = spawnSync(
    process.execPath,
    ["--conditions=@promptreg/source", import.meta.filename, name],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] },
  );
  return JSON.parse(stdout) as number[];
}

type Compile = () => string | { text: string };

/** Makes ready what compiles the template, up to where an application has its prompt in hand. */
const makers: Record<Name, (template: string) => Promise<Compile>> = {
  async "@promptreg/client"(template) {
    const { url, close } = await serveJson(asRegistry(template));
    const { content } = await createClient({ baseUrl: url, token }).prompt("bench/reply@production").get();
    close();
    return () => renderVersion(content, values);
  },
  async mustache(template) {
    const { default: mustache } = await import("mustache");
    // As Langfuse sets it: a prompt is no HTML.
    mustache.escape = (text: string) => text;
    return () => mustache.render(template, values);
  },
  async "@langfuse/client"(template) {
    const { LangfuseClient } = await import("@langfuse/client");
    const { url, close } = await serveJson(asLangfuse(template));
    const langfuse = new LangfuseClient({ baseUrl: url, publicKey: "pk", secretKey: "sk" });
    const prompt = await langfuse.prompt.get("reply", { type: "text" });
    close();
    return () => prompt.compile(values);
  },
};

const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

// In a process of its own: prints the milliseconds after which so many of the first calls were done.
if (process.argv[1] === import.meta.filename) {
  const compile = await makers[process.argv[2] as Name](templateOf(bytes));
  const start = performance.now();
  const times: number[] = [];
  for (let call = 1; call <= Math.max(...coldCalls); call++) {
    compile();
    if (coldCalls.includes(call)) times.push(performance.now() - start);
  }
  console.log(JSON.stringify(times));
}
