// Fills in whatever version the label `production` points at: a prompt changes without a release of the program.
//
//   PROMPTREG_TOKEN=prt_… node main.ts ada/support-reply@production
import { createClient, parseRef, renderVersion } from "@promptreg/client";

const { owner, slug, ...which } = parseRef(process.argv[2] ?? "");
const client = createClient();

const { version, ref } = await client.prompts.get({ owner, slug, query: { ...which, view: "version" } });
if (version === null) throw new Error(`${ref} has no version yet.`);

// Variables that are missing or misspelt are refused here, before a model sees them.
const { messages } = renderVersion(version, {
  customer: "Ms Okafor",
  message: "My bell has been with you for two weeks. Is it ready?",
});

console.error(`${ref}@${version.n}, ${version.tokenEstimate} tokens or so`);
console.log(JSON.stringify(messages, null, 2));
