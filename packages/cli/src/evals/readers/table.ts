import { braintrustJson, braintrustLines } from "./braintrust.ts";
import { deepeval } from "./deepeval.ts";
import { evalite } from "./evalite.ts";
import { inspect } from "./inspect.ts";
import { junit } from "./junit.ts";
import { langfuseJson, langfuseLines } from "./langfuse.ts";
import { openaiEvals } from "./openai-evals.ts";
import { ownJson, ownLines } from "./own.ts";
import { promptfooJson, promptfooLines } from "./promptfoo.ts";
import type { Reader } from "./reader.ts";
import { vitest } from "./vitest.ts";

/** All readers. The first one that recognises a file reads it. */
export const readers: readonly Reader[] = [
  ownJson,
  ownLines,
  promptfooJson,
  promptfooLines,
  junit,
  vitest,
  evalite,
  deepeval,
  inspect,
  openaiEvals,
  braintrustJson,
  braintrustLines,
  langfuseJson,
  langfuseLines,
];
