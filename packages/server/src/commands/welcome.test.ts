import { expect, test } from "vitest";
import { parseDatabaseUrl } from "../database/connection.ts";
import { readOpened } from "../kernel/reach/addresses.ts";
import { welcome } from "./serve.ts";

const url = "http://127.0.0.1:8787";
const usual: Parameters<typeof welcome>[1] = {
  metricsUrl: null,
  place: "reg on db.example:5432",
  isEmbedded: false,
  ms: 12,
  newSecret: null,
  works: true,
  isReadOnly: false,
  allowUnsafeWebhooks: false,
  webhookAllow: null,
  webhookProxy: null,
  isForMembers: false,
  cdn: null,
  mediaStore: null,
  mediaScan: null,
  publicUrl: null,
  host: "127.0.0.1",
  unknownVariables: [],
};
const cdn = { purgeUrl: new URL("https://cdn.example/service/1/purge"), token: "hunter2" };
const linesOf = (about: Partial<typeof usual>, at: string | null = url) =>
  welcome(at, { ...usual, ...about })
    .split("\n")
    .map((line) => line.trim().replace(/ +/g, " "));

test("a server says where it serves and how one begins, and nothing of what is not set", () => {
  expect(linesOf({})).toEqual([
    `Promptreg serves ${url}, ready in 12 ms.`,
    "data reg on db.example:5432",
    `reference ${url}/reference`,
    "token promptreg-server user add <handle>, then promptreg-server token create --user <handle>",
    "(from a checkout: npm run -s server -- user add <handle>, …)",
    "",
  ]);
});

test("a worker says what is of its business alone", () => {
  const about = { isForMembers: true, host: "0.0.0.0", works: true };
  expect(linesOf({ ...about, mediaScan: { url: "clamd://a:1", address: { path: "" } } }, null)).toEqual([
    "Promptreg worker, ready in 12 ms.",
    "data reg on db.example:5432",
    "scanner clamd://a:1 sees uploads before anybody else",
    "",
  ]);
});

const ofStore = { accessKeyId: "hunter2", secretAccessKey: "hunter2" };
const opened = readOpened("10.0.0.0/8");
const standby = parseDatabaseUrl("postgres://ada:hunter2@standby.example/reg");

test.each<[string, Partial<typeof usual>]>([
  ["data reg on db.example:5432 (embedded PostgreSQL)", { isEmbedded: true }],
  ["access for members: nothing is shown without a token", { isForMembers: true }],
  ["pooler standby.example:5432", { pooler: standby }],
  ["replicas standby.example:5432, standby.example:5432", { replicas: [standby, standby] }],
  [
    "media https://s3.example/media/",
    { mediaStore: { url: "https://s3.example/media/", region: "a", credentials: ofStore } },
  ],
  ["cdn keeps public versions and pictures for a year, and is purged by cdn.example", { cdn }],
  ["secret /data/secret, made now: keep it with your backups", { newSecret: "/data/secret" }],
  ["metrics http://127.0.0.1:9100/metrics", { metricsUrl: "http://127.0.0.1:9100" }],
  [
    "worker not in this process: run `promptreg-server worker` to send deliveries and to read uploads",
    { works: false },
  ],
  [
    `WARNING links and events begin with ${url}, which leads nowhere from elsewhere: set PUBLIC_URL`,
    { host: "0.0.0.0" },
  ],
  [
    `WARNING links and events begin with ${url}, which leads nowhere from elsewhere: set PUBLIC_URL`,
    { host: "::" },
  ],
  [
    "WARNING unknown variables are ignored: MAIL_FORM (see promptreg-server --help)",
    { unknownVariables: ["MAIL_FORM"] },
  ],
  ["WARNING the database is read-only: reads work, and changes get 503", { isReadOnly: true }],
  ["webhooks can also reach 10.0.0.0/8 (WEBHOOK_ALLOW)", { webhookAllow: opened }],
  [
    "webhooks go through proxy.example:3128 (WEBHOOK_PROXY)",
    { webhookProxy: new URL("http://ada:hunter2@proxy.example:3128") },
  ],
])("a server says %s", (line, about) => {
  const lines = linesOf(about);
  expect(lines).toContain(line);
  expect(lines.filter((one) => !linesOf({}).includes(one))).toEqual([line]);
  expect(lines.join()).not.toContain("hunter2");
});

test("a registry for members says of its CDN only that it has to forget", () => {
  const lines = linesOf({ isForMembers: true, cdn }).join("\n");
  expect(lines).toContain("WARNING nothing is public any more: purge everything");
  expect(lines).not.toContain("keeps public versions");
});

test("a server with a PUBLIC_URL, or without a worker, warns of nothing that is not its own", () => {
  const quiet = { host: "0.0.0.0", publicUrl: "https://prompts.example.com" };
  expect(linesOf(quiet)).toEqual(linesOf({}));
  const scan = { mediaScan: { url: "clamd://a:1", address: { path: "" } } };
  expect(linesOf({ ...scan, works: false }).join()).not.toContain("scanner");
});
