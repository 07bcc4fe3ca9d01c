// The client beside its neighbours: what they weigh, how fast they serve a prompt from memory and fill it in, and what an
// application sees of them on bad days. Run with `npm run prove -- peers`.
import { configureGlobalLogger, LogLevel } from "@langfuse/core";
import { isShort } from "../../scripts/short.ts";
import { compareCompile } from "./compile.ts";
import { compareGets } from "./gets.ts";
import { compareSizes } from "./sizes.ts";
import { tellStory } from "./story.ts";

// It tells of each failure with its stack; the story says what came of it.
configureGlobalLogger({ level: LogLevel.NONE });

const problems = await compareSizes();
await compareGets();
await compareCompile();
await tellStory();
for (const problem of problems) console.log(`✗ ${problem}`);
// After a refused connection Langfuse's timers would keep the process for another minute.
process.exit(problems.length > 0 && !isShort ? 1 : 0);
