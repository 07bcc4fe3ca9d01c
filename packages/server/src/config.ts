import { createPublicKey, type KeyObject, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { BlockList } from "node:net";
import { join, resolve } from "node:path";
import { type RateLimits, type RatePolicy, rateLimits } from "@promptreg/core";
import { DatabaseSetupError } from "./database/connection.ts";
import { makeDataFolder } from "./database/folder.ts";
import { hostOf, type Opened, readOpened } from "./kernel/reach/addresses.ts";
import type { Cdn } from "./kernel/cdn.ts";
import { readProxies } from "./kernel/http/client-address.ts";
import type { MailConfig } from "./kernel/mailer.ts";
import { wordsOf } from "./kernel/input/words.ts";
import type { SuggestionsConfig } from "./groups/suggestions/index.ts";
import type { ScannerConfig } from "./kernel/media/scanner.ts";
import type { S3Config } from "./kernel/store/s3-store.ts";
import { secretBytesAtLeast } from "./kernel/secrets/secret-box.ts";

/** The configuration. All of it comes from environment variables. */
export interface Config {
  host: string;
  port: number;
  /** Where figures for Prometheus are to be had. Null: nowhere. */
  metrics: { host: string; port: number } | null;
  /** Null: the address that the server listens on. */
  publicUrl: string | null;
  /** Nothing is shown to whoever has no token. */
  isForMembers: boolean;
  /** A CDN that keeps public versions and pictures for long. */
  cdn: Cdn | null;
  /** The origin that serves media. Null: that of `publicUrl`. */
  mediaUrl: string | null;
  /** Where the bytes of media are kept. Null: in the data folder. */
  mediaStore: S3Config | null;
  /** Who looks for malware in uploads. Null: nobody. */
  mediaScan: ScannerConfig | null;
  /** Null: the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null;
  /** A pooler before that database. */
  databasePoolUrl: string | null;
  /** Standbys of it that answer reads. */
  databaseReadUrls: string[];
  dataDir: string;
  /** Null: the one in the data folder. */
  secret: string | null;
  /** What it encrypted or signed is read as well. */
  secondSecret: string | null;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: BlockList;
  /** Null: no limits. */
  rateLimits: RateLimits | null;
  /** The most bytes that the files of an account may take. */
  accountBytes: number;
  /** Words by which comments are held, as `wordsOf` writes them. */
  heldWords: string[];
  allowUnsafeWebhooks: boolean;
  /** What webhooks reach beside the Internet. */
  webhookAllow: Opened | null;
  /** Through which webhooks connect. */
  webhookProxy: URL | null;
  /** How long a server that was asked to stop sends balancers and clients elsewhere first. */
  drainSeconds: number;
  /** How long a start waits for a database that is not up yet. */
  databaseWaitSeconds: number;
  /** Variables that look like ours and mean nothing. */
  unknownVariables: string[];
  /** Null: no suggestions are made. */
  suggestions: SuggestionsConfig | null;
  /** Null: no mail is sent. */
  mail: MailConfig | null;
  /** The application at Discord. Null: this server is not set up for it. */
  discord: { applicationId: string; publicKey: KeyObject } | null;
}

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"];

/**
 * Reads the configuration.
 * @throws {DatabaseSetupError} naming the variable that is invalid or missing.
 */
export function readConfig(given: NodeJS.ProcessEnv): Config {
  const env = readEnvironment(given);
  const port = readPort(env, "PORT") ?? 8787;
  const metricsPort = readPort(env, "METRICS_PORT");
  if (!logLevels.includes(env["LOG_LEVEL"] || "info")) {
    throw new DatabaseSetupError(`Unknown LOG_LEVEL. Valid levels: ${logLevels.join(", ")}.`);
  }
  const publicUrl = readOrigin(env, "PUBLIC_URL");
  const mediaUrl = readOrigin(env, "MEDIA_URL");
  const databaseUrl = env["DATABASE_URL"] || null;
  const databasePoolUrl = env["DATABASE_POOL_URL"] || null;
  if (databasePoolUrl !== null && databaseUrl === null)
    throw new DatabaseSetupError(
      "DATABASE_POOL_URL needs DATABASE_URL too, the address of PostgreSQL itself: migrations, workers and notifications cannot go through a pooler.",
    );
  const databaseReadUrls = (env["DATABASE_READ_URLS"] ?? "").split(/[\s,]+/).filter((url) => url !== "");
  if (databaseReadUrls.length > 0 && databaseUrl === null)
    throw new DatabaseSetupError(
      "DATABASE_READ_URLS needs DATABASE_URL too: the primary, of which they are standbys.",
    );
  const secret = env["PROMPTREG_SECRET"] || null;
  if (databaseUrl !== null && secret === null) {
    throw new DatabaseSetupError(
      "DATABASE_URL needs PROMPTREG_SECRET too: it encrypts webhook secrets, and every process on the database must have the same. Make one with `openssl rand -base64 32`.",
    );
  }
  const secondSecret = env["PROMPTREG_SECOND_SECRET"] || null;
  for (const [name, value] of Object.entries({
    PROMPTREG_SECRET: secret,
    PROMPTREG_SECOND_SECRET: secondSecret,
  }))
    if (value !== null && Buffer.byteLength(value) < secretBytesAtLeast)
      throw new DatabaseSetupError(
        `${name} is shorter than ${secretBytesAtLeast} bytes: it could be guessed. Make one with \`openssl rand -base64 32\`.`,
      );
  if (secret !== null && secret === secondSecret)
    throw new DatabaseSetupError(
      "PROMPTREG_SECOND_SECRET is the same as PROMPTREG_SECRET. It is for another one, while secrets are replaced.",
    );
  const allowUnsafeWebhooks = readUnsafeWebhooks(env);
  const trustedProxies = readTrustedProxies(env["TRUSTED_PROXIES"] ?? "");
  const limits = readRateLimits(env["RATE_LIMITS"] ?? "");
  const mail = readMail({ url: env["SMTP_URL"] || "", from: env["MAIL_FROM"] || "", publicUrl });
  const dataDir = resolve(env["PROMPTREG_DATA_DIR"] || ".promptreg");
  const host = env["HOST"] || "127.0.0.1";
  return {
    host,
    port,
    metrics: metricsPort === null ? null : { host: env["METRICS_HOST"] || "127.0.0.1", port: metricsPort },
    publicUrl,
    isForMembers: readAccess(env["ACCESS"] || "public") === "members",
    cdn: readCdn(env["CDN_PURGE_URL"] || "", env["CDN_PURGE_TOKEN"] || ""),
    mediaUrl,
    mediaStore: readMediaStore(env),
    mediaScan: readMediaScan(env["MEDIA_SCAN"] || ""),
    databaseUrl,
    databasePoolUrl,
    databaseReadUrls,
    dataDir,
    secret,
    secondSecret,
    trustedProxies,
    rateLimits: limits,
    accountBytes: 1e6 * readWhole(env, "ACCOUNT_STORAGE_MB", { usual: 10_000, most: 1e9, unit: "megabytes" }),
    heldWords: (env["HELD_WORDS"] ?? "")
      .split(",")
      .map(wordsOf)
      .filter((word) => word.trim() !== ""),
    allowUnsafeWebhooks,
    webhookAllow: readWebhookAllow(env["WEBHOOK_ALLOW"] ?? ""),
    webhookProxy: readWebhookProxy(env["WEBHOOK_PROXY"] || ""),
    drainSeconds: readWhole(env, "DRAIN_SECONDS", { usual: 3, ...seconds }),
    databaseWaitSeconds: readWhole(env, "DATABASE_WAIT_SECONDS", { usual: 30, ...seconds }),
    suggestions: readSuggestions(env),
    unknownVariables: Object.keys(given).filter(isMisspelt).sort(),
    mail,
    discord: readDiscord({
      applicationId: env["DISCORD_APPLICATION_ID"] || "",
      key: env["DISCORD_PUBLIC_KEY"] || "",
    }),
  };
}

const variables = [
  "PORT HOST ACCESS METRICS_PORT METRICS_HOST PUBLIC_URL CDN_PURGE_URL CDN_PURGE_TOKEN MEDIA_URL MEDIA_STORE MEDIA_SCAN DATABASE_URL DATABASE_POOL_URL DATABASE_READ_URLS DATABASE_WAIT_SECONDS DRAIN_SECONDS PROMPTREG_DATA_DIR PROMPTREG_SECRET PROMPTREG_SECOND_SECRET TRUSTED_PROXIES",
  "RATE_LIMITS ACCOUNT_STORAGE_MB HELD_WORDS SUGGESTIONS_URL SUGGESTIONS_MODEL SUGGESTIONS_KEY SMTP_URL MAIL_FROM LOG_LEVEL PROMPTREG_UNSAFE_WEBHOOKS WEBHOOK_ALLOW WEBHOOK_PROXY",
  "DISCORD_APPLICATION_ID DISCORD_PUBLIC_KEY DISCORD_BOT_TOKEN DISCORD_API_URL AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY",
  // Those of the client and the command line.
  "PROMPTREG_URL PROMPTREG_TOKEN PROMPTREG_PROFILE PROMPTREG_WEBHOOK_SECRET PROMPTREG_TEST_POSTGRES_BINARIES",
].flatMap((names) => names.split(" "));

/** It begins as ours do, or is one of them with a letter or two more or less: without a word it would be ignored. */
const isMisspelt = (name: string): boolean =>
  !variables.includes(name.replace(/_FILE$/, "")) &&
  (/^(PROMPTREG|SUGGESTIONS?|DISCORD|SMTP|MAIL|MEDIA|METRICS|WEBHOOK)_/.test(name) ||
    variables.some(
      (known) =>
        known.length > 6 &&
        Math.abs(known.length - name.length) <= 2 &&
        (known.startsWith(name) || name.startsWith(known)),
    ));

function readAccess(text: string): "public" | "members" {
  if (text === "public" || text === "members") return text;
  throw new DatabaseSetupError("ACCESS must be public, or members: then nothing is shown without a token.");
}

/** Null if it is not set. */
function readPort(env: NodeJS.ProcessEnv, name: string): number | null {
  const text = env[name] || null;
  if (text !== null && (!/^\d+$/.test(text) || Number(text) > 65_535))
    throw new DatabaseSetupError(`${name} must be a number from 0 to 65535.`);
  return text === null ? null : Number(text);
}

const seconds = { most: 600, unit: "seconds" };

function readWhole(
  env: NodeJS.ProcessEnv,
  name: string,
  { usual, most, unit }: { usual: number; most: number; unit: string },
): number {
  const value = Number(env[name] || usual);
  if (!Number.isInteger(value) || value < 0 || value > most)
    throw new DatabaseSetupError(`${name} must be a number of ${unit} from 0 to ${most}.`);
  return value;
}

const isHttp = (url: URL | null): url is URL => url !== null && ["http:", "https:"].includes(url.protocol);

/** Errors never quote the address: it may have a secret. */
function readCdn(text: string, token: string): Cdn | null {
  if (text === "") {
    if (token === "") return null;
    throw new DatabaseSetupError("CDN_PURGE_TOKEN needs CDN_PURGE_URL too: where the CDN takes purges.");
  }
  const url = URL.parse(text);
  if (!isHttp(url) || /\s/.test(text) || url.username !== "" || url.password !== "")
    throw new DatabaseSetupError(
      "CDN_PURGE_URL must be the address where the CDN takes purges by surrogate key, such as https://api.fastly.com/service/<id>/purge. A secret goes into CDN_PURGE_TOKEN.",
    );
  return { purgeUrl: url, token: token === "" ? null : requireKey(token, "CDN_PURGE_TOKEN") };
}

function readUnsafeWebhooks(env: NodeJS.ProcessEnv): boolean {
  const text = env["PROMPTREG_UNSAFE_WEBHOOKS"] || "0";
  if (!/^[01]$/.test(text)) throw new DatabaseSetupError("PROMPTREG_UNSAFE_WEBHOOKS must be 1, 0 or unset.");
  if (text === "1" && env["NODE_ENV"] === "production") {
    throw new DatabaseSetupError(
      "PROMPTREG_UNSAFE_WEBHOOKS=1 is for development. It is refused when NODE_ENV is production.",
    );
  }
  return text === "1";
}

function readWebhookAllow(text: string): Opened | null {
  try {
    return readOpened(text);
  } catch (error) {
    throw new DatabaseSetupError(`WEBHOOK_ALLOW: ${(error as Error).message}`);
  }
}

/** Errors never quote the value: it may have a password. */
function readWebhookProxy(text: string): URL | null {
  if (text === "") return null;
  const url = URL.parse(text);
  if (isHttp(url) && /^\/?$/.test(url.pathname) && url.search + url.hash === "") return url;
  throw new DatabaseSetupError(
    "WEBHOOK_PROXY must be an address without a path, such as http://proxy.example.com:3128.",
  );
}

function readOrigin(env: NodeJS.ProcessEnv, name: "PUBLIC_URL" | "MEDIA_URL"): string | null {
  const text = env[name];
  if (!text) return null;
  const url = URL.parse(text);
  // Anything beyond an origin, such as a user name, makes `href` longer.
  if (isHttp(url) && url.href === `${url.origin}/`) return url.origin;
  throw new DatabaseSetupError(
    `${name} must be an origin without a path, such as https://prompts.example.com.`,
  );
}

const storeForm =
  "MEDIA_STORE must have the form s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1, the prefix and the endpoint if you need them.";

/** A bucket, and who may use it: by two variables, or by two that name files. */
function readMediaStore(env: NodeJS.ProcessEnv): S3Config | null {
  const text = env["MEDIA_STORE"];
  if (!text) return null;
  const url = URL.parse(text);
  const {
    region,
    endpoint = `https://s3.${region}.amazonaws.com`,
    ...others
  } = Object.fromEntries(url?.searchParams ?? []);
  const isWhole = url?.protocol === "s3:" && /^[a-z0-9][a-z0-9.-]{1,62}$/.test(url.hostname);
  const prefix = url?.pathname.replace(/^\/|\/$/g, "") ?? "";
  const server = URL.parse(endpoint);
  if (
    !(isWhole && url.port === "" && url.username === "" && url.hash === "") ||
    !/^[\w./-]*$/.test(prefix) ||
    !/^[\w-]+$/.test(region ?? "") ||
    !isHttp(server) ||
    [server.search, server.username, server.password, server.hash].some((part) => part !== "") ||
    Object.keys(others).length > 0
  )
    throw new DatabaseSetupError(storeForm);
  const folder = [server.href.replace(/\/$/, ""), url.hostname, prefix].filter((part) => part !== "");
  return {
    url: `${folder.join("/")}/`,
    region: region ?? "",
    credentials: {
      accessKeyId: readCredential(env, "AWS_ACCESS_KEY_ID", "MEDIA_STORE"),
      secretAccessKey: readCredential(env, "AWS_SECRET_ACCESS_KEY", "MEDIA_STORE"),
    },
  };
}

function readMediaScan(text: string): ScannerConfig | null {
  if (text === "") return null;
  const [, host, port, path] =
    /^clamd:\/\/(?:(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})|(\/[\w./@-]+))$/i.exec(text) ?? [];
  if (path !== undefined) return { url: text, address: { path } };
  if (host !== undefined && Number(port) > 0 && Number(port) <= 65_535)
    return { url: text, address: { host: host.replace(/[[\]]/g, ""), port: Number(port) } };
  throw new DatabaseSetupError(
    "MEDIA_SCAN must be where clamd listens, clamd://127.0.0.1:3310 or clamd:///run/clamav/clamd.ctl.",
  );
}

/**
 * The variables, and in place of `<name>_FILE` what the file has that it names. Errors never quote a value.
 * @throws {DatabaseSetupError} for a file that cannot be read, and for a variable that is given both ways.
 */
export function readEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ofFiles = variables.flatMap((name) => {
    const path = env[`${name}_FILE`];
    if (!path) return [];
    if (env[name]) throw new DatabaseSetupError(`Set ${name} or ${name}_FILE, not both.`);
    return [[name, readFileOf(`${name}_FILE`, path)] as const];
  });
  return { ...env, ...Object.fromEntries(ofFiles) };
}

function readFileOf(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseSetupError(`The file that ${name} names cannot be read (${code}).`);
  }
  if (text === "") throw new DatabaseSetupError(`The file that ${name} names is empty.`);
  return text;
}

/** A key that must be there. @param user what needs it. */
export function readCredential(env: NodeJS.ProcessEnv, name: string, user: string): string {
  if (env[name]) return requireKey(env[name], name);
  throw new DatabaseSetupError(`${user} needs ${name} too, or ${name}_FILE with the path of a file.`);
}

/** What a header can have. */
function requireKey(text: string, where: string): string {
  if (/^[!-~]+$/.test(text)) return text;
  throw new DatabaseSetupError(`${where} must have a key, in one line.`);
}

/** Nothing leaves this machine unless an address says where to. */
function readSuggestions(env: NodeJS.ProcessEnv): SuggestionsConfig | null {
  const { SUGGESTIONS_URL: text = "", SUGGESTIONS_MODEL: model = "", SUGGESTIONS_KEY: key = "" } = env;
  if (text === "off") return null;
  if (text === "") {
    if (model !== "" || key !== "")
      throw new DatabaseSetupError(
        "SUGGESTIONS_MODEL and SUGGESTIONS_KEY need SUGGESTIONS_URL too: the address of the API that has the model.",
      );
    return { model: null };
  }
  const url = URL.parse(text);
  if (!isHttp(url) || [url.username, url.password, url.search, url.hash].some((part) => part !== ""))
    throw new DatabaseSetupError(
      "SUGGESTIONS_URL must be the address of an API like that of OpenAI, such as http://127.0.0.1:11434/v1, or off.",
    );
  if (model === "")
    throw new DatabaseSetupError("SUGGESTIONS_URL needs SUGGESTIONS_MODEL too: the name of the model.");
  const address = `${url.href.replace(/\/$/, "")}/chat/completions`;
  return {
    model: { url: address, name: model, key: key === "" ? null : requireKey(key, "SUGGESTIONS_KEY") },
  };
}

function readTrustedProxies(text: string): BlockList {
  try {
    return readProxies(text);
  } catch (error) {
    throw new DatabaseSetupError(`TRUSTED_PROXIES: ${(error as Error).message}.`);
  }
}

/** `read=10000/60,anon=30/60` replaces the limits of those policies; `off` means no limits. */
function readRateLimits(text: string): RateLimits | null {
  if (text.trim() === "off") return null;
  const limits: Record<RatePolicy, RateLimits[RatePolicy]> = { ...rateLimits };
  for (const part of text.split(",").map((piece) => piece.trim())) {
    if (part === "") continue;
    const [, name = "", quotaText, secondsText] = /^([^=]*)=(\d+)\/(\d+)$/.exec(part) ?? [];
    const [quota, windowSeconds] = [Number(quotaText), Number(secondsText)];
    if (quotaText === undefined) {
      throw new DatabaseSetupError(
        `RATE_LIMITS: "${part}" must have the form policy=requests/seconds, such as read=6000/60.`,
      );
    }
    if (!isPolicy(name)) {
      throw new DatabaseSetupError(
        `RATE_LIMITS: unknown policy in "${part}". Valid policies: ${Object.keys(rateLimits).join(", ")}.`,
      );
    }
    if (quota > 1_000_000 || windowSeconds < 1 || windowSeconds > 86_400) {
      throw new DatabaseSetupError(
        `RATE_LIMITS: "${part}" is out of range: at most 1000000 requests, in 1 to 86400 seconds.`,
      );
    }
    limits[name] = { ...limits[name], quota, windowSeconds };
  }
  return limits;
}

/** Errors never quote the value: it contains a password. */
function readMail({ url, from, publicUrl }: { url: string; from: string; publicUrl: string | null }) {
  if (url === "" && from === "") return null;
  if (url === "") throw new DatabaseSetupError("MAIL_FROM needs SMTP_URL too: without it no mail is sent.");
  const [, name = "", address] =
    /^(?:([^<>"\p{C}]*)<)?([^\s\p{C}<>()[\]\\,;:"@]+@[a-z0-9.-]+)>?$/iu.exec(from) ?? [];
  if (address === undefined || from.includes("<") !== from.includes(">")) {
    throw new DatabaseSetupError(
      "SMTP_URL needs MAIL_FROM, the sender of mails, in this form: Promptreg <no-reply@example.com>.",
    );
  }
  if (publicUrl === null) {
    throw new DatabaseSetupError("SMTP_URL needs PUBLIC_URL too: links in mails lead there.");
  }
  return { ...readSmtpUrl(url), from: { name: name.trim(), address } } satisfies MailConfig;
}

function readSmtpUrl(text: string): Omit<MailConfig, "from"> {
  const url = URL.parse(text);
  const login = url && readLogin(url);
  const isMore = url && (/^\/?$/.test(url.pathname) ? `${url.search}${url.hash}` : url.pathname) !== "";
  if (
    !url ||
    !["smtp:", "smtps:"].includes(url.protocol) ||
    url.hostname === "" ||
    login === undefined ||
    isMore
  ) {
    throw new DatabaseSetupError(
      "SMTP_URL must have the form smtps://user:password@host:port, or smtp:// for STARTTLS. Percent-encode characters such as @ and / in user and password.",
    );
  }
  const isSecure = url.protocol === "smtps:";
  return { host: hostOf(url), port: Number(url.port) || (isSecure ? 465 : 587), isSecure, login };
}

/** Null: no login. Undefined: an incomplete one. */
function readLogin({ username, password }: URL): MailConfig["login"] | undefined {
  if (username === "" && password === "") return null;
  if (username === "" || password === "") return undefined;
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

/** Both are on the page of the application at Discord. A key is 32 bytes, of which any may be one. */
function readDiscord({ applicationId, key }: { applicationId: string; key: string }): Config["discord"] {
  if (applicationId === "" && key === "") return null;
  if (!/^\d{17,20}$/.test(applicationId))
    throw new DatabaseSetupError(
      "Discord needs DISCORD_APPLICATION_ID, the number of your application, of 17 to 20 digits. Its page at Discord shows it.",
    );
  if (!/^[0-9a-f]{64}$/i.test(key))
    throw new DatabaseSetupError(
      "Discord needs DISCORD_PUBLIC_KEY, the public key of your application, of 64 hexadecimal digits. Its page at Discord shows it.",
    );
  const x = Buffer.from(key, "hex").toString("base64url");
  return {
    applicationId,
    publicKey: createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }),
  };
}

const isPolicy = (name: string): name is RatePolicy => Object.hasOwn(rateLimits, name);

const secretPath = (dataDir: string) => join(dataDir, "secret");

/** The path of the secret's file if there is no secret; otherwise null. */
export function missingSecretFile({ secret, dataDir }: Config): string | null {
  const path = secretPath(dataDir);
  return secret !== null || existsSync(path) ? null : path;
}

/** The secret of the configuration, or the one in the data folder. If that is missing, it is made. */
export function readSecret({ secret, dataDir }: Config): string {
  if (secret !== null) return secret;
  const path = secretPath(dataDir);
  makeDataFolder(dataDir);
  try {
    writeFileSync(path, randomBytes(32).toString("base64"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const kept = readFileSync(path, "utf8").trim();
  if (Buffer.byteLength(kept) >= secretBytesAtLeast) return kept;
  throw new DatabaseSetupError(
    `${path} is damaged: it contains no secret. Restore it from a backup. If there are no webhooks yet, remove it.`,
  );
}
