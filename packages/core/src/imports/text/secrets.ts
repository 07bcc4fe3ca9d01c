import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { SecretLintRuleContext, SecretLintSourceCode } from "@secretlint/types";
import type { CheckedFile } from "../../content/files.ts";

/** Where in a text something has the form of a secret. The secret itself is told to nobody. */
export interface Secret {
  line: number;
  /** In words: `github token`. */
  kind: string;
}

/** What was found in a text: where it begins, and the letters that tell a placeholder; these are shown to nobody. */
interface Found {
  kind: string;
  index: number;
  text: string;
}

/**
 * Forms that the library does not know, or finds in some files alone, and that lie near prompts. Of a form with a group
 * only that is judged. None looks farther than a bound, so that no text takes longer than its length.
 */
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
  ["aws access key id", /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g],
  ["npm auth token", /_authToken=(?!\$)([^\s"']{8,256})/g],
  ["pypi token", /\bpypi-AgE[\w-]{50,}/g],
  ["digitalocean token", /\bdo[opr]_v1_[0-9a-f]{64}\b/g],
  ["discord webhook", /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,}/g],
  ["azure account key", /\bAccountKey=[0-9A-Za-z+/]{86}==/g],
  ["telegram bot token", /\b\d{8,10}:AA[\w-]{33}(?![\w-])/g],
  ["age secret key", /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g],
  [
    "password in an address",
    /:\/\/[^\s:@/?#"'<>]{0,128}(:(?!\d{1,5}[^\w@])[^\s/"'<>()[\]`]{4,256}?@(?:localhost\b|127\.0\.0\.1\b)?)/g,
  ],
];

const jwt = "json web token";
const basic = "password in a header";

/**
 * Forms of which documentation is full, so that only what looks random counts: a value behind a name that says what it is, and keys of
 * many services. The prefixes and lengths are those that the services document.
 */
const random: readonly (readonly [kind: string, form: RegExp])[] = [
  ["api key", /\bsk-(?:[a-z]{2,12}-)?([0-9A-Za-z]{20,200})(?![0-9A-Za-z])/g],
  [jwt, /\beyJ[\w-]{8,2048}\.eyJ[\w-]{8,4096}\.[\w-]{20,1024}/g],
  [
    "authorization header",
    /\bAuthorization\\?["']?\s{0,9}[:=]\s{0,9}\\?["'`]?(?:Bearer|Token)\s{1,9}([\w.~+/=-]{16,1024})/gi,
  ],
  [basic, /\bAuthorization\\?["']?\s{0,9}[:=]\s{0,9}\\?["'`]?Basic\s{1,9}([\w+/=-]{12,1024})/gi],
  [
    "password or key in a setting",
    /(?<![0-9A-Za-z_])[0-9A-Z_]{0,60}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|(?:API|ACCESS|PRIVATE|SECRET)_?KEY)\\?["']?\s{0,9}[:=]\s{0,9}\\?["']?([^\s"'`<>{}()[\]$,;\\]{8,256})/g,
  ],
];

function decoded(base64: string): string {
  try {
    return atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}

/** The claims of tokens in documentation. */
const examples = /1234567890|john.?doe|jane.?doe|"foo"|example\.(?:com|org)/i;

/** What of a find is judged: a token says in the open that it is an example, and a header has its password in base64. */
function judgedOf({ kind, text }: Found): string {
  if (kind === jwt) return examples.test(decoded(text.split(".")[1] ?? "")) ? "example" : text;
  return kind === basic ? decoded(text).replace(/^[^:]*:/, "") : text;
}

/** Whether a part of a text has letters and digits in no order: words, and words with a number behind them, are none. */
const looksRandom = (text: string): boolean =>
  text
    .split(/[^0-9A-Za-z]/)
    .some(
      (part) => part.length >= 8 && new Set(part).size > 6 && !/^(?:[A-Za-z]*\d*|\d*[A-Za-z]*)$/.test(part),
    );

/** Rules of the library that are ours instead, or that would let a prompt turn others off. */
const left = /-(filter-comments|privatekey|basicauth|database-connection-string)$/;

/** What begins a private key, which ends in a key on one of the next lines, or ends before that. */
const keyBegins = /-----BEGIN [0-9A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-Lines: \d/g;
const keyLetters = /[0-9A-Za-z+/=]{40}/g;
const isMixed = (run: string) =>
  /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run) && new Set(run).size > 12;
/** The private part of a JSON Web Key. */
const jsonKey = /"[dk]\\?"\s{0,9}:\s{0,9}\\?"[\w-]{42,}/g;
const near = 2_000;

/** What documentation writes in the place of a secret: a row of one letter, the alphabet, or a word that says so. */
const placeholder =
  /(.)\1{4}|12345678|abcdefgh|your|example|sample|placeholder|change.?me|redacted|dummy|fake|john.?doe|foo.?bar|abc123|p@ssw0rd|\.{3}|…|\.env|environ|getenv|\$\{|\{\{|<[a-z]|\*{3}|@(localhost|127\.0\.0\.1)$/i;
/** The same in the place of a password. */
const noPassword =
  /^:([A-Z_]+|(my)?(pass|password|passwd|passphrase|pwd|secret|token|key|api[_-]?key|user|username|admin|root|guest|test|postgres|mysql|redis|mongo|hunter2)\d{0,3}|[x.*]+|[$%]\w+|\{\w+\})@/;

const utf8 = new TextDecoder();
const latin1 = new TextDecoder("latin1");

/** The text of a file, to be searched. Of one that is no UTF-8 the letters of ASCII, also where each of them takes two bytes. */
export const searchedText = ({ bytes, encoding }: Pick<CheckedFile, "bytes" | "encoding">): string =>
  encoding === "utf8" ? utf8.decode(bytes) : latin1.decode(bytes).replaceAll("\0", "");

/** A hostile text can have thousands, and nobody reads more. */
const most = 100;

/** Finds what has the form of a secret, in the order of the lines; each kind once a line. */
export async function findSecrets(text: string): Promise<Secret[]> {
  const found = [...(await findByRules(text)), ...findMore(text)].filter(
    (one) => !placeholder.test(judgedOf(one)) && !noPassword.test(one.text),
  );
  const secrets = new Map<string, Secret>();
  let line = 1;
  let from = 0;
  for (const { kind, index } of [...found, ...findKeys(text)].sort((a, b) => a.index - b.index)) {
    if (secrets.size === most) break;
    line += text.slice(from, index).split("\n").length - 1;
    from = index;
    secrets.set(`${line} ${kind}`, { line, kind });
  }
  return [...secrets.values()];
}

const findMore = (text: string): Found[] => [
  ...more.flatMap((rule) => findForm(text, rule)),
  ...random.flatMap((rule) => findForm(text, rule)).filter((one) => looksRandom(judgedOf(one))),
];

const findForm = (text: string, [kind, form]: (typeof more)[number]): Found[] =>
  Array.from(text.matchAll(form), ({ 0: all, 1: part, index }) => ({ kind, index, text: part ?? all }));

/** Private keys, whatever stands before each of their lines; without letters of a key a frame is none. */
function findKeys(text: string): Omit<Found, "text">[] {
  const begun = Array.from(text.matchAll(keyBegins), ({ 0: begin, index }) => {
    const [inside = ""] = text.slice(index + begin.length, index + near).split("-----");
    return (inside.match(keyLetters) ?? []).some(isMixed) ? [{ kind: "private key", index }] : [];
  });
  const inJson = Array.from(text.matchAll(jsonKey), ({ index }) =>
    /"kty/.test(text.slice(Math.max(0, index - near), index + near)) ? [{ kind: "private key", index }] : [],
  );
  return [...begun, ...inJson].flat();
}

type Reported = Pick<Parameters<SecretLintRuleContext["report"]>[0], "message" | "range">;

/** The rules are run by themselves: what runs them in the library also measures them. */
async function findByRules(content: string): Promise<Found[]> {
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
    // With a path, a rule would read that file from the disk, which is another one on a server.
    filePath: "",
    getFilePath: () => "",
    contentType: "text",
    ext: "",
    hasBOM: false,
  };
  for (const rule of rules)
    if (!left.test(rule.meta.id))
      await rule.create(context, {}).file?.(source as unknown as SecretLintSourceCode);
  return found;
}

/** `GITHUB_TOKEN` and `PrivateKey` in words. */
const wordsOf = (id: string) =>
  id
    .replace(/([a-z])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4")
    .replaceAll("_", " ")
    .toLowerCase();
