import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { apiError } from "@promptreg/core/errors";
import { manifestSchema } from "@promptreg/core/summaries";
import { noSniff, readEtags, corsHeaders, respondWithError } from "@promptreg/core/wire";
import type { Context, Hono } from "hono";
import { accepts } from "hono/accepts";
import { printOpenapi } from "../kernel/openapi/document.ts";
import { metered } from "../kernel/operations/metered.ts";
import type { ServerContext } from "../kernel/server-context.ts";
import * as home from "./home.ts";
import * as reference from "./page.ts";
import * as webhooks from "./webhooks/page.ts";

/**
 * Serves what this server is at `/`, for people and for programs; the contract's OpenAPI document at `/api/v1/openapi.json`, the
 * pages made of it at `/reference`, the page for receivers of webhooks at `/docs/webhooks`, and the JSON Schema of
 * promptreg.json at `/schemas/promptreg.json`.
 */
export function mountReference(
  app: Hono,
  {
    contract,
    server,
  }: {
    contract: object;
    server: Pick<ServerContext, "publicUrl" | "isForMembers"> & Parameters<typeof metered>[0];
  },
): void {
  const { publicUrl, isForMembers } = server;
  const cacheControl = isForMembers ? "private, no-cache" : "public, max-age=0, must-revalidate";
  const serve = (path: string, find: (c: Context) => Content | undefined) =>
    app.get(
      path,
      metered(server, (c, id) => {
        const content = find(c);
        return content
          ? send(c, id, { ...content, cacheControl })
          : respondWithError(apiError("not_found"), id);
      }),
    );
  const start = json(() => home.describeServer(publicUrl));
  const startPage = page(home, () => home.renderHome(publicUrl));
  serve("/", (c) => (prefersPage(c) ? startPage() : start()));
  const openapi = once(() => printOpenapi(contract, { publicUrl }));
  serve("/api/v1/openapi.json", json(openapi));
  serve("/schemas/promptreg.json", json(manifestSchema, "application/schema+json"));
  serve(
    "/docs/webhooks",
    page(webhooks, () => webhooks.renderWebhooksPage(publicUrl)),
  );
  const pages = once(
    () => new Map([...reference.pagesOf(openapi())].map(([path, render]) => [path, page(reference, render)])),
  );
  serve("/reference/:group?", (c) => pages().get(c.req.path)?.());
}

const prefersPage = (c: Context) =>
  accepts(c, {
    header: "Accept",
    supports: ["text/html", "application/json"],
    default: "application/json",
  }) === "text/html";

const json = (make: () => object, type = "application/json") =>
  once(() => contentOf(JSON.stringify(make()), { "content-type": type }));

const page = ({ contentSecurityPolicy }: { contentSecurityPolicy: string }, render: () => string) =>
  once(() =>
    contentOf(render(), {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy,
    }),
  );

/** Makes a value when it is first needed, so that the server starts quickly. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

interface Variant {
  body: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** A text as it is and compressed. Each has its own ETag, because their bytes differ. */
interface Content {
  identity: Variant;
  gzip: Variant;
  headers: Record<string, string>;
}

function contentOf(text: string, headers: Record<string, string>): Content {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return {
    identity: { body, etag: `"${hash}"` },
    gzip: { body: gzipSync(body, { level: 9 }), etag: `"${hash}-gzip"` },
    headers,
  };
}

function send(
  c: Context,
  requestId: string,
  { identity, gzip, headers, cacheControl }: Content & { cacheControl: string },
): Response {
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(c.req.header("accept-encoding") ?? "");
  const { body, etag } = isCompressed ? gzip : identity;
  const common = {
    ...noSniff,
    ...corsHeaders,
    etag,
    "x-request-id": requestId,
    "cache-control": cacheControl,
    vary: "Accept, Accept-Encoding",
  };
  const ifNoneMatch = readEtags(c.req.header("if-none-match"));
  if (ifNoneMatch.includes(etag) || ifNoneMatch.includes("*"))
    return new Response(null, { status: 304, headers: common });
  return new Response(body, {
    headers: { ...common, ...headers, ...(isCompressed && { "content-encoding": "gzip" }) },
  });
}
