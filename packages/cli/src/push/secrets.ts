import type { CheckedFile } from "@promptreg/core/content";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintSourceCode } from "@secretlint/types";
import type { Detail } from "../errors.ts";

/** What was found in a text: where it begins, and the letters themselves, which are shown to nobody. */
interface Found {
  kind: string;
  index: number;
  text: string;
}

/** Forms that the library does not know, and that lie near prompts: our own, and those of providers of models. */
const more: readonly (readonly [kind: string, form: RegExp])[] = [
  ["promptreg token", /\bprt_[0-9A-Za-z]{42}\b/g],
  ["webhook secret", /\bwhsec_[0-9A-Za-z+/_-]{32,}/g],
  ["anthropic api key", /\bsk-ant-[a-z0-9]+-[\w-]{80,}/g],
  ["google api key", /\bAIza[\w-]{35}(?![\w-])/g],
  ["openrouter api key", /\bsk-or-v1-[0-9a-f]{64}\b/g],
  ["xai api key", /\bxai-[0-9A-Za-z]{80}\b/g],
  ["perplexity api key", /\bpplx-[0-9A-Za-z]{48}\b/g],
  ["replicate token", /\br8_[0-9A-Za-z]{37}\b/g],
  ["langfuse secret key", /\bsk-lf-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g],
  ["langsmith api key", /\blsv2_(pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b/g],
];

/** What documentation writes in the place of a secret: a row of one letter, the alphabet, or a word that says so. */
const placeholder =
  /(.)\1{4}|12345678|abcdefgh|your|example|sample|placeholder|changeme|redacted|dummy|fake|:(pass|password|passwd|pwd|secret|token|\$\w+)@|\$\{|\{\{|<[a-z]|\*{3}|@(localhost|127\.0\.0\.1)\b/i;

const decoder = new TextDecoder();

/** Finds what has the form of a secret in texts; each is told by its line and kind, never itself. */
export async function findSecrets(files: readonly CheckedFile[]): Promise<Detail[]> {
  const details: Detail[] = [];
  for (const { path, bytes, encoding } of files) {
    if (encoding !== "utf8") continue;
    const text = decoder.decode(bytes);
    const found = [...(await findByRules(path, text)), ...findMore(text)];
    const told = new Set<string>();
    for (const { kind, index, text: secret } of found) {
      // Keys are so long that they hold such words by chance; without a key in it a frame of one is not found.
      if (kind !== "private key" && placeholder.test(secret)) continue;
      const line = text.slice(0, index).split("\n").length;
      told.add(
        `line ${line} holds what looks like a secret (${kind}); --allow-secrets sends it all the same`,
      );
    }
    for (const message of told) details.push({ path, message });
  }
  return details;
}

const findMore = (text: string): Found[] =>
  more.flatMap(([kind, form]) =>
    [...text.matchAll(form)].map(({ 0: secret, index }) => ({ kind, index, text: secret })),
  );

type Reported = Pick<Parameters<SecretLintRuleContext["report"]>[0], "message" | "range">;

/**
 * The rules are run by themselves: what runs them in the library also measures them. The one that reads comments which
 * turn others off is left out, for what is in a prompt must have no say in it.
 */
async function findByRules(path: string, content: string): Promise<Found[]> {
  const found: Found[] = [];
  const context = {
    sharedOptions: {},
    createTranslator: () => (messageId: string) => ({ messageId, message: messageId }),
    ignore: () => {},
    report({ message: { messageId }, range: [index, end] }: Reported) {
      found.push({ kind: wordsOf(messageId), index, text: content.slice(index, end) });
    },
  } as unknown as SecretLintRuleContext;
  const source = {
    content,
    filePath: path,
    getFilePath: () => path,
    contentType: "text",
    ext: "",
    hasBOM: false,
  };
  for (const rule of rules)
    if (!rule.meta.id.endsWith("-filter-comments"))
      await rule.create(context, {}).file?.(source as unknown as SecretLintSourceCode);
  return found;
}

/** `GITHUB_TOKEN` and `PrivateKey` in words. */
const wordsOf = (id: string) =>
  id
    .replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")
    .replaceAll("_", " ")
    .toLowerCase();
