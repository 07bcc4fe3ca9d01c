// Fills in whatever version the label `production` points at: a prompt changes without a release of the program.
//
//   PROMPTREG_TOKEN=prt_… node main.ts ada/support-reply@production
import { createClient } from "@promptreg/client";

const client = createClient();
// Made once. What it gets is kept for a minute, and while the registry is away.
const reply = client.prompt(process.argv[2] ?? "");

// Variables that are missing or misspelt are refused here, before a model sees them.
const { messages, prompt } = await reply.compile({
  customer: "Ms Okafor",
  message: "My bell has been with you for two weeks. Is it ready?",
});

console.error(`${prompt.ref}@${prompt.version}, from ${prompt.source}`);
console.log(JSON.stringify(messages, null, 2));
