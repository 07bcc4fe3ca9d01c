// Fills in the version that the label `production` points at: the prompt changes without a release of the program.
//
//   PROMPTREG_TOKEN=prt_… node main.ts ada/support-reply@production
import { createClient } from "@promptreg/client";
import { openReplies } from "./reply.ts";

const reply = openReplies(createClient(), process.argv[2] ?? "");

const { messages, prompt } = await reply(
  "Ms Okafor",
  "My bell has been with you for two weeks. Is it ready?",
);

console.error(`${prompt.ref}@${prompt.version}, from ${prompt.source}`);
console.log(JSON.stringify(messages, null, 2));
