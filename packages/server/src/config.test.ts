import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rateLimits } from "@promptreg/core";
import { describe, expect, test } from "vitest";
import { readConfig, readSecret } from "./config.ts";
import { DatabaseSetupError } from "./database/connection.ts";

test("the README and the page about deployment name settings and commands that promptreg-server --help explains", () => {
  const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8");
  const page = readFileSync(join(import.meta.dirname, "../../../docs/deployment.md"), "utf8");
  const help = readFileSync(join(import.meta.dirname, "program.ts"), "utf8");
  const [, table = ""] = readme.split("### Configuration");
  const settings = new Set(
    `${page} ${table.split("\n\n").slice(0, 2).join(" ")}`.match(
      /\b(?!NODE_ENV|NODE_OPTIONS|OTEL_|AF_)[A-Z]+(?:_[A-Z]+)+\b/g,
    ),
  );
  const commands = [...page.matchAll(/promptreg-server (?:user |token )?([a-z]+)/g)].map(([, verb]) => verb);
  expect(settings.size).toBeGreaterThan(4);
  for (const name of settings) expect(help).toContain(name.replace(/_FILE$/, ""));
  for (const verb of commands) expect(help).toMatch(new RegExp(`command\\("${verb}\\b`));
});

test("a damaged secret in the data folder is an error, and is not replaced", () => {
  const folder = mkdtempSync(join(tmpdir(), "promptreg-config-"));
  const dataDir = join(folder, "not/yet/there");
  const config = readConfig({ PROMPTREG_DATA_DIR: dataDir });
  const made = readSecret(config);
  expect(statSync(join(dataDir, "secret")).mode & 0o777).toBe(0o600);
  expect(readSecret(config)).toBe(made);
  for (const rest of ["", made.slice(0, 31)]) {
    writeFileSync(join(dataDir, "secret"), rest);
    expect(() => readSecret(config)).toThrow(/secret is damaged.*Restore it from a backup/);
  }
  rmSync(folder, { recursive: true });
});

test("without a variable, a server is for this machine alone, and nothing leaves it", () => {
  expect(readConfig({})).toMatchObject({
    host: "127.0.0.1",
    port: 8787,
    metrics: null,
    publicUrl: null,
    isForMembers: false,
    cdn: null,
    databaseUrl: null,
    dataDir: resolve(".promptreg"),
    drainSeconds: 3,
    databaseWaitSeconds: 30,
    webhookAllow: null,
    webhookProxy: null,
  });
});

test("what is set is taken, up to the most that is allowed", () => {
  const proxy = "http://ada:password@proxy.example:3128";
  const env = {
    HOST: "::",
    PORT: "65535",
    METRICS_PORT: "0",
    PUBLIC_URL: "https://prompts.example.com/",
    ACCESS: "members",
    PROMPTREG_SECOND_SECRET: "s".repeat(32),
    DRAIN_SECONDS: "0",
    DATABASE_WAIT_SECONDS: "600",
    WEBHOOK_ALLOW: "10.0.0.0/8",
    WEBHOOK_PROXY: proxy,
  };
  expect(readConfig(env)).toMatchObject({
    host: "::",
    port: 65_535,
    metrics: { host: "127.0.0.1", port: 0 },
    publicUrl: "https://prompts.example.com",
    isForMembers: true,
    secondSecret: "s".repeat(32),
    drainSeconds: 0,
    databaseWaitSeconds: 600,
    webhookAllow: { text: "10.0.0.0/8" },
    webhookProxy: new URL(proxy),
    unknownVariables: [],
  });
});

test("a CDN takes purges at an address, with a token if it needs one", () => {
  const env = { CDN_PURGE_URL: "https://cdn.example/purge" };
  const purgeUrl = new URL(env.CDN_PURGE_URL);
  expect([env, { ...env, CDN_PURGE_TOKEN: "tok" }].map((one) => readConfig(one).cdn)).toEqual([
    { purgeUrl, token: null },
    { purgeUrl, token: "tok" },
  ]);
});

test("a variable with up to two letters more or less than one of ours is reported, and no other", () => {
  const names = [
    "DATABASE_U",
    "DATABASE_URLXX",
    "MAIL_FORM",
    "DATABASE_",
    "DATABASE_URLXXX",
    "POR",
    "A_MAIL_",
  ];
  expect(readConfig(Object.fromEntries(names.map((name) => [name, "x"]))).unknownVariables).toEqual(
    names.slice(0, 3),
  );
});

test("HELD_WORDS are words and phrases between commas, in one form for all ways to write them", () => {
  const wordsOf = (HELD_WORDS?: string) => readConfig({ HELD_WORDS }).heldWords;
  expect([undefined, "", " , -,"].map(wordsOf)).toEqual([[], [], []]);
  expect(wordsOf("Casino, free  MONEY,ＳＴＲＡＳＳＥ,Straße")).toEqual([
    " casino ",
    " free money ",
    " strasse ",
    " strasse ",
  ]);
});

describe("Discord", () => {
  const application = { DISCORD_APPLICATION_ID: "100000000000000001", DISCORD_PUBLIC_KEY: "aB".repeat(32) };

  test("is set up by the number and the key of an application", () => {
    const { discord } = readConfig(application);
    expect(discord?.applicationId).toBe("100000000000000001");
    expect(discord?.publicKey.export({ format: "jwk" }).x).toBe(
      Buffer.from("ab".repeat(32), "hex").toString("base64url"),
    );
    expect(
      [{}, { DISCORD_APPLICATION_ID: "", DISCORD_PUBLIC_KEY: "" }].map((env) => readConfig(env).discord),
    ).toEqual([null, null]);
  });

  test.each([
    ["DISCORD_PUBLIC_KEY", undefined],
    ["DISCORD_PUBLIC_KEY", "ab".repeat(31)],
    ["DISCORD_PUBLIC_KEY", "ab".repeat(33)],
    ["DISCORD_PUBLIC_KEY", "zz".repeat(32)],
    ["DISCORD_APPLICATION_ID", undefined],
    ["DISCORD_APPLICATION_ID", "promptreg"],
    ["DISCORD_APPLICATION_ID", "1".repeat(16)],
    ["DISCORD_APPLICATION_ID", "1".repeat(21)],
  ])("is refused at the start if %s is %s", (name, value) => {
    expect(() => readConfig({ ...application, [name]: value })).toThrow(`Discord needs ${name}`);
  });

  test("is told of where a letter of a variable is missing", () => {
    expect(readConfig({ DISCORD_PUBLIC_KE: "x" }).unknownVariables).toEqual(["DISCORD_PUBLIC_KE"]);
  });
});

describe("ACCOUNT_STORAGE_MB", () => {
  const bytesOf = (ACCOUNT_STORAGE_MB?: string) => readConfig({ ACCOUNT_STORAGE_MB }).accountBytes;

  test("is how many megabytes the files of an account may take: 10,000 if it is not set", () => {
    expect([undefined, "", "5", "0", "1000000000"].map(bytesOf)).toEqual([1e10, 1e10, 5e6, 0, 1e15]);
  });

  test.each(["-1", "1.5", "much", "1000000001"])("cannot be %s", (text) => {
    expect(() => bytesOf(text)).toThrow(
      "ACCOUNT_STORAGE_MB must be a number of megabytes from 0 to 1000000000.",
    );
  });

  test("is reported as an unknown variable if a letter of it is missing", () => {
    const env = { ACCOUNT_STORAGE_M: "5", ACCOUNT_STORAGE_MB: "5" };
    expect(readConfig(env).unknownVariables).toEqual(["ACCOUNT_STORAGE_M"]);
  });
});

describe("DATABASE_READ_URLS", () => {
  const given = { DATABASE_URL: "postgres://a/b", PROMPTREG_SECRET: "x".repeat(32) };

  test("are any number of addresses, with commas or lines between them", () => {
    const urlsOf = (text?: string) => readConfig({ ...given, DATABASE_READ_URLS: text }).databaseReadUrls;
    expect(urlsOf()).toEqual([]);
    expect(urlsOf("postgres://c/b")).toEqual(["postgres://c/b"]);
    expect(urlsOf("postgres://c/b,\npostgres://d/b,")).toEqual(["postgres://c/b", "postgres://d/b"]);
  });

  test("need the address of their primary", () => {
    expect(() => readConfig({ DATABASE_READ_URLS: "postgres://c/b" })).toThrow(/needs DATABASE_URL too/);
  });
});

const limitsOf = (text?: string) => readConfig({ RATE_LIMITS: text }).rateLimits;

describe("SUGGESTIONS_URL and what goes with it", () => {
  const suggestionsOf = (env: NodeJS.ProcessEnv) => readConfig(env).suggestions;
  const good = { SUGGESTIONS_URL: "http://127.0.0.1:11434/v1/", SUGGESTIONS_MODEL: "small" };

  test("without them suggestions are made by rules, and with off by nobody", () => {
    expect([suggestionsOf({}), suggestionsOf({ SUGGESTIONS_URL: "off" })]).toEqual([{ model: null }, null]);
  });

  test("name a model, and a file with the key", () => {
    const folder = mkdtempSync(join(tmpdir(), "promptreg-key-"));
    const file = join(folder, "key");
    writeFileSync(file, "sk-one\n");
    const model = { url: "http://127.0.0.1:11434/v1/chat/completions", name: "small" };
    expect(suggestionsOf(good)).toEqual({ model: { ...model, key: null } });
    expect(suggestionsOf({ ...good, SUGGESTIONS_KEY_FILE: file })).toEqual({
      model: { ...model, key: "sk-one" },
    });
    writeFileSync(file, "two\nlines");
    expect(() => suggestionsOf({ ...good, SUGGESTIONS_KEY_FILE: file })).toThrow(/in one line/);
    rmSync(folder, { recursive: true });
    expect(() => suggestionsOf({ ...good, SUGGESTIONS_KEY_FILE: file })).toThrow(/cannot be read \(ENOENT\)/);
  });

  test.each<[NodeJS.ProcessEnv, RegExp]>([
    [{ SUGGESTIONS_MODEL: "small" }, /need SUGGESTIONS_URL too/],
    [{ SUGGESTIONS_KEY: "key" }, /need SUGGESTIONS_URL too/],
    [{ SUGGESTIONS_URL: good.SUGGESTIONS_URL }, /needs SUGGESTIONS_MODEL too/],
    [{ ...good, SUGGESTIONS_URL: "ftp://a.example" }, /^SUGGESTIONS_URL must be the address/],
    [
      { ...good, SUGGESTIONS_URL: "https://me:pass-word@a.example/v1" },
      /^(?!.*pass-word)SUGGESTIONS_URL must/,
    ],
    [{ ...good, SUGGESTIONS_URL: "https://:pass-word@a.example" }, /^(?!.*pass-word)SUGGESTIONS_URL must/],
    [{ ...good, SUGGESTIONS_URL: "https://me@a.example/v1" }, /^SUGGESTIONS_URL must/],
    [{ ...good, SUGGESTIONS_URL: "https://a.example/v1#1" }, /^SUGGESTIONS_URL must/],
    [{ ...good, SUGGESTIONS_URL: "https://a.example/v1?key=1" }, /^SUGGESTIONS_URL must/],
  ])("%j is refused", (env, message) => {
    expect(() => suggestionsOf(env)).toThrow(message);
  });
});

describe("SMTP_URL and MAIL_FROM", () => {
  const mailOf = (
    SMTP_URL?: string,
    MAIL_FROM?: string,
    PUBLIC_URL: string | undefined = "https://p.example",
  ) => readConfig({ SMTP_URL, MAIL_FROM, PUBLIC_URL }).mail;
  const from = "Promptreg <no-reply@p.example>";
  const good = "smtps://promptreg:s3cr%40t@mail.example";

  test("are optional: without them no mail is sent", () => {
    expect([mailOf(), mailOf("", "")]).toEqual([null, null]);
  });

  test("set the mail server and the sender", () => {
    expect(mailOf(good, from)).toEqual({
      host: "mail.example",
      port: 465,
      isSecure: true,
      login: { user: "promptreg", pass: "s3cr@t" },
      from: { name: "Promptreg", address: "no-reply@p.example" },
    });
    expect(mailOf("smtp://[::1]:2525/", "a@b")).toEqual({
      host: "::1",
      port: 2525,
      isSecure: false,
      login: null,
      from: { name: "", address: "a@b" },
    });
    expect(mailOf("smtp://mail.example", from)?.port).toBe(587);
  });

  test.each([
    "mail.example",
    "https://promptreg:s3cr%40t@mail.example",
    "smtps://",
    "smtps://promptreg@mail.example",
    "smtps://:s3cr%40t@mail.example",
    "smtps://promptreg:s3cr%zzt@mail.example",
    "smtps://promptreg:s3cr/t@mail.example",
    "smtps://promptreg:s3cr%40t@mail.example/inbox",
    "smtps://promptreg:s3cr%40t@mail.example?tls=off",
    "smtps://promptreg:s3cr%40t@mail.example#tls",
    "xsmtps://promptreg:s3cr%40t@mail.example",
    "smtps://promptreg:s3cr%40t@mail.example:99999",
  ])("SMTP_URL=%s is refused, and the error does not show it", (url) => {
    expect(() => mailOf(url, from)).toThrow(/^SMTP_URL must have the form smtps:/);
    expect(() => mailOf(url, from)).not.toThrow("s3cr");
    expect(() => mailOf(url, from)).toThrow(DatabaseSetupError);
  });

  test.each([
    "",
    "Promptreg",
    "@b",
    "a@",
    "a@b, c@d",
    "<a@b",
    "a@b>",
    "A <a@b> B",
    "A <a@b>\r\nBcc: c@d",
    "A\r\nBcc: c@d <a@b>",
    '"A" <a@b>',
  ])("MAIL_FROM=%j is refused", (text) => {
    expect(() => mailOf(good, text)).toThrow(/^SMTP_URL needs MAIL_FROM/);
  });

  test("need each other and PUBLIC_URL", () => {
    expect(() => mailOf("", from)).toThrow(/^MAIL_FROM needs SMTP_URL/);
    expect(() => mailOf(good, from, "")).toThrow(/^SMTP_URL needs PUBLIC_URL/);
  });
});

describe("RATE_LIMITS", () => {
  test("is optional: without it the built-in limits apply", () => {
    expect(limitsOf()).toEqual(rateLimits);
    expect(limitsOf("")).toEqual(rateLimits);
  });

  test("replaces some limits", () => {
    expect(limitsOf("read=10000/30, anon=0/86400,write=1000000/1,")).toEqual({
      ...rateLimits,
      read: { per: "token", quota: 10_000, windowSeconds: 30 },
      anon: { per: "ip", quota: 0, windowSeconds: 86_400 },
      write: { per: "token", quota: 1_000_000, windowSeconds: 1 },
    });
  });

  test("can turn limits off", () => {
    expect(limitsOf("off")).toBeNull();
  });

  test.each([
    ["read", /"read" must have the form policy=requests\/seconds/],
    ["anon=30/60,read=10", /"read=10" must have the form/],
    ["read=-1/60", /"read=-1\/60" must have the form/],
    ["read=1e3/60", /"read=1e3\/60" must have the form/],
    ["read=/60", /"read=\/60" must have the form/],
    ["read=10/", /"read=10\/" must have the form/],
    ["read=10/60s", /"read=10\/60s" must have the form/],
    ["at=read=10/60", /"at=read=10\/60" must have the form/],
    ["read=off", /"read=off" must have the form/],
    ["anon=30/60,reed=10/60", /unknown policy in "reed=10\/60"\. Valid policies: ip, anon, read/],
    ["constructor=1/1", /unknown policy in "constructor=1\/1"/],
    ["read=10/0", /"read=10\/0" is out of range/],
    ["read=10/86401", /"read=10\/86401" is out of range/],
    ["read=1000001/60", /"read=1000001\/60" is out of range/],
  ])("%s is refused, and the error names the invalid part", (text, message) => {
    expect(() => limitsOf(text)).toThrow(message);
    expect(() => limitsOf(text)).toThrow(DatabaseSetupError);
  });
});

describe("PROMPTREG_UNSAFE_WEBHOOKS", () => {
  const given = (value?: string, nodeEnv?: string) =>
    readConfig({ PROMPTREG_UNSAFE_WEBHOOKS: value, NODE_ENV: nodeEnv }).allowUnsafeWebhooks;

  test.each([undefined, "", "0"])("is off for %j, in production too", (value) => {
    expect([given(value), given(value, "production")]).toEqual([false, false]);
  });

  test.each([undefined, "", "development", "test"])("is on for 1 if NODE_ENV is %j", (nodeEnv) => {
    expect(given("1", nodeEnv)).toBe(true);
  });

  test("is refused in production", () => {
    expect(() => given("1", "production")).toThrow(/PROMPTREG_UNSAFE_WEBHOOKS=1 .* NODE_ENV is production/);
  });

  test.each(["true", "yes", "on", " 1", "2", "01"])("is not guessed: %j is refused", (value) => {
    expect(() => given(value)).toThrow(DatabaseSetupError);
  });
});

test.each([
  ["PORT", { PORT: "65536" }],
  ["PORT", { PORT: "-1" }],
  ["PORT", { PORT: " " }],
  ["PORT", { PORT: "1e3" }],
  ["PUBLIC_URL", { PUBLIC_URL: "prompts.example.com" }],
  ["PUBLIC_URL", { PUBLIC_URL: "https://prompts.example.com/path" }],
  ["PUBLIC_URL", { PUBLIC_URL: "https://user:hunter2@prompts.example.com" }],
  ["PUBLIC_URL", { PUBLIC_URL: "https://a b" }],
  ["TRUSTED_PROXIES", { TRUSTED_PROXIES: "10.0.0.0/8,proxy" }],
  ["TRUSTED_PROXIES", { TRUSTED_PROXIES: "10.0.0.0/33" }],
  ["RATE_LIMITS", { RATE_LIMITS: "read=many/60" }],
  ["NODE_ENV", { PROMPTREG_UNSAFE_WEBHOOKS: "1", NODE_ENV: "production" }],
  ["PROMPTREG_UNSAFE_WEBHOOKS", { PROMPTREG_UNSAFE_WEBHOOKS: "true" }],
  ["ACCESS", { ACCESS: "private" }],
  ["WEBHOOK_ALLOW", { WEBHOOK_ALLOW: "10.0.0.0/40" }],
  ["WEBHOOK_ALLOW", { WEBHOOK_ALLOW: "169.254.169.254" }],
  [
    "PROMPTREG_SECOND_SECRET",
    {
      PROMPTREG_SECRET: "the same secret, and long enough, twice",
      PROMPTREG_SECOND_SECRET: "the same secret, and long enough, twice",
    },
  ],
  ["PROMPTREG_SECOND_SECRET", { PROMPTREG_SECOND_SECRET: "hunter2" }],
  ["DATABASE_POOL_URL", { DATABASE_POOL_URL: "postgres://ada:hunter2@pool.example/a" }],
  ["WEBHOOK_PROXY", { WEBHOOK_PROXY: "socks://ada:hunter2@proxy.example" }],
  ["WEBHOOK_PROXY", { WEBHOOK_PROXY: "xhttp://ada:hunter2@proxy.example" }],
  ["WEBHOOK_PROXY", { WEBHOOK_PROXY: "http://ada:hunter2@proxy.example/path" }],
  ["WEBHOOK_PROXY", { WEBHOOK_PROXY: "http://ada:hunter2@proxy.example?a" }],
  ["WEBHOOK_PROXY", { WEBHOOK_PROXY: "http://ada:hunter2@proxy.example#a" }],
  ["CDN_PURGE_URL", { CDN_PURGE_URL: "https://ada:hunter2@cdn.example/purge" }],
  ["CDN_PURGE_URL", { CDN_PURGE_URL: "https://ada@cdn.example/hunter2" }],
  ["CDN_PURGE_URL", { CDN_PURGE_URL: "https://:hunter2@cdn.example/purge" }],
  ["CDN_PURGE_URL", { CDN_PURGE_URL: "https://cdn.example/hunter2 purge" }],
  ["CDN_PURGE_URL", { CDN_PURGE_URL: "ftp://cdn.example/hunter2" }],
  ["CDN_PURGE_URL", { CDN_PURGE_TOKEN: "hunter2" }],
  ["CDN_PURGE_TOKEN", { CDN_PURGE_URL: "https://cdn.example/purge", CDN_PURGE_TOKEN: "hunter2 hunter2" }],
])("a malformed %s is refused, without showing a password: %j", (name, env) => {
  const read = () => readConfig({ ...env });
  expect(read).toThrow(name);
  expect(read).not.toThrow("hunter2");
});

describe("MEDIA_STORE", () => {
  const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key" };
  const storeOf = (MEDIA_STORE: string, env: Record<string, string> = keys) =>
    readConfig({ MEDIA_STORE, ...env }).mediaStore;

  test("names a bucket of any S3-compatible store", () => {
    expect(storeOf("s3://media/a/b/?endpoint=https://s3.example.com/&region=eu-1")).toEqual({
      url: "https://s3.example.com/media/a/b/",
      region: "eu-1",
      credentials: { accessKeyId: "id", secretAccessKey: "key" },
    });
    const longest = "m".repeat(63);
    expect(storeOf(`s3://${longest}?region=us`)?.url).toBe(`https://s3.us.amazonaws.com/${longest}/`);
    expect(storeOf("s3://media?region=eu-west-1")?.url).toBe("https://s3.eu-west-1.amazonaws.com/media/");
    expect(readConfig({}).mediaStore).toBe(null);
  });

  test.each([
    "media",
    "https://media?region=a",
    "s3://media",
    "s3://m?region=a",
    `s3://${"m".repeat(64)}?region=a`,
    "s3://media:9000?region=a",
    "s3://media?region=a#x",
    "s3://media?region=a b",
    "s3://media?region=%20a",
    "s3://media?region=a&endpoint=http://s3.example%3Fx",
    "s3://media?region=a&endpoint=http://:hunter2@s3.example",
    "s3://media?region=a&endpoint=ftp://x",
    "s3://media?region=a&endpoint=x",
    "s3://media?region=a&secret=x",
    "s3://user@media?region=a",
    "s3://media?region=a&endpoint=http://user:hunter2@s3.example",
    "s3://media?region=a&endpoint=http://s3.example%23x",
    "s3://media/a%20b?region=a",
  ])("%s is refused, with the form that is expected", (text) => {
    expect(() => storeOf(text)).toThrow("MEDIA_STORE must have the form s3://");
  });

  test("needs credentials, which can stand in files", () => {
    expect(() => storeOf("s3://media?region=a", {})).toThrow("MEDIA_STORE needs AWS_ACCESS_KEY_ID too");
    const missing = { ...keys, AWS_ACCESS_KEY_ID: "", AWS_ACCESS_KEY_ID_FILE: "/nowhere" };
    expect(() => storeOf("s3://media?region=a", missing)).toThrow("cannot be read (ENOENT)");
    const folder = mkdtempSync(join(tmpdir(), "promptreg-config-"));
    const AWS_ACCESS_KEY_ID_FILE = join(folder, "id");
    const withFile = () =>
      storeOf("s3://media?region=a", { AWS_ACCESS_KEY_ID_FILE, AWS_SECRET_ACCESS_KEY: "key" });
    writeFileSync(AWS_ACCESS_KEY_ID_FILE, "of-a-file\n");
    expect(withFile()?.credentials.accessKeyId).toBe("of-a-file");
    for (const wrong of ["", " ", "one\ntwo", "\u0001"]) {
      writeFileSync(AWS_ACCESS_KEY_ID_FILE, wrong);
      expect(withFile).toThrow(wrong.trim() === "" ? "is empty" : "must have a key, in one line");
    }
    rmSync(folder, { recursive: true });
  });
});

describe("a variable that ends in _FILE", () => {
  test("names a file with the value, for each variable", () => {
    const folder = mkdtempSync(join(tmpdir(), "promptreg-files-"));
    const fileOf = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const secret = "a secret that is long enough for this purpose";
    const config = readConfig({
      DATABASE_URL_FILE: fileOf("url", "postgres://ada:pw@db.example/promptreg\n"),
      PROMPTREG_SECRET_FILE: fileOf("secret", `${secret}\n`),
      PORT_FILE: fileOf("port", "9000"),
    });
    expect([config.databaseUrl, config.secret, config.port, config.unknownVariables]).toEqual([
      "postgres://ada:pw@db.example/promptreg",
      secret,
      9_000,
      [],
    ]);
    expect(readConfig({ PROMPTREG_SECRE_FILE: "x" }).unknownVariables).toEqual(["PROMPTREG_SECRE_FILE"]);
    const both = { PROMPTREG_SECRET: secret, PROMPTREG_SECRET_FILE: join(folder, "secret") };
    expect(() => readConfig(both)).toThrow("Set PROMPTREG_SECRET or PROMPTREG_SECRET_FILE, not both.");
    rmSync(folder, { recursive: true });
    expect(() => readConfig({ SMTP_URL_FILE: join(folder, "gone") })).toThrow(
      "The file that SMTP_URL_FILE names cannot be read (ENOENT).",
    );
  });
});

describe("MEDIA_SCAN", () => {
  test.each([
    ["clamd://127.0.0.1:3310", { host: "127.0.0.1", port: 3_310 }],
    ["clamd://clamav.corp.example:3310", { host: "clamav.corp.example", port: 3_310 }],
    ["clamd://[::1]:65535", { host: "::1", port: 65_535 }],
    ["clamd:///run/clamav/clamd.ctl", { path: "/run/clamav/clamd.ctl" }],
  ])("%s is where clamd listens", (MEDIA_SCAN, address) => {
    expect(readConfig({ MEDIA_SCAN }).mediaScan).toEqual({ url: MEDIA_SCAN, address });
  });

  test.each([
    "127.0.0.1:3310",
    "xclamd://a:1",
    "clamd://:1",
    "clamd://[]:1",
    "clamd://a",
    "clamd://a:0",
    "clamd://a:65536",
    "clamd://",
    "clamd:///",
    "clamd://a:1/b",
    "clamd://ada:hunter2@a:1",
    "http://a:1",
  ])("%s is refused, without showing a password", (MEDIA_SCAN) => {
    const read = () => readConfig({ MEDIA_SCAN });
    expect(read).toThrow("MEDIA_SCAN must be where clamd listens");
    expect(read).not.toThrow("hunter2");
  });

  test("is nobody if it is not set", () => {
    expect([{}, { MEDIA_SCAN: "" }].map((env) => readConfig(env).mediaScan)).toEqual([null, null]);
  });
});
