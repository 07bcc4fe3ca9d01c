import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { apiError } from "@promptreg/core/errors";
import { manifestSchema } from "@promptreg/core/summaries";
import { noSniff, readEtags, corsHeaders, respondWithError } from "@promptreg/core/wire";
import type { Context, Hono } from "hono";
import { printOpenapi } from "../kernel/openapi/document.ts";
import { metered } from "../kernel/metered.ts";
import type { ServerContext } from "../kernel/server-context.ts";
import * as reference from "./page.ts";
import * as webhooks from "./webhooks/page.ts";

/**
 * Serves the contract's OpenAPI document at `/api/v1/openapi.json`, the pages made of it at `/reference`, the page for
 * receivers of webhooks at `/docs/webhooks`, and the JSON Schema of promptreg.json at `/schemas/promptreg.json`.
 */
export function mountReference(
  app: Hono,
  {
    contract,
    server,
  }: { contract: object; server: Pick<ServerContext, "publicUrl" | "limiter" | "trustedProxies"> },
): void {
  const { publicUrl } = server;
  const openapi = once(() => printOpenapi(contract, { publicUrl }));
  const json = once(() => variantsOf(JSON.stringify(openapi())));
  const manifest = once(() => variantsOf(JSON.stringify(manifestSchema())));
  const guide = once(() => variantsOf(webhooks.renderWebhooksPage(publicUrl)));
  const pages = once(
    () =>
      new Map(
        [...reference.pagesOf(openapi())].map(([path, render]) => [path, once(() => variantsOf(render()))]),
      ),
  );
  const serve = (
    path: string,
    variantsAt: (path: string) => Variants | undefined,
    headers: Record<string, string>,
  ) =>
    app.get(
      path,
      metered(server, (c, id) => {
        const variants = variantsAt(c.req.path);
        return variants ? send(c, id, { variants, headers }) : respondWithError(apiError("not_found"), id);
      }),
    );
  serve("/api/v1/openapi.json", json, { "content-type": "application/json" });
  serve("/schemas/promptreg.json", manifest, { "content-type": "application/schema+json" });
  serve("/docs/webhooks", guide, page(webhooks.contentSecurityPolicy));
  serve("/reference/:group?", (path) => pages().get(path)?.(), page(reference.contentSecurityPolicy));
}

const page = (policy: string) => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": policy,
});

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
interface Variants {
  identity: Variant;
  gzip: Variant;
}

function variantsOf(text: string): Variants {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return {
    identity: { body, etag: `"${hash}"` },
    gzip: { body: gzipSync(body, { level: 9 }), etag: `"${hash}-gzip"` },
  };
}

function send(
  c: Context,
  requestId: string,
  { variants, headers }: { variants: Variants; headers: Record<string, string> },
): Response {
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(c.req.header("accept-encoding") ?? "");
  const { body, etag } = isCompressed ? variants.gzip : variants.identity;
  const common = {
    ...noSniff,
    ...corsHeaders,
    etag,
    "x-request-id": requestId,
    "cache-control": "public, max-age=0, must-revalidate",
    vary: "Accept-Encoding",
  };
  const ifNoneMatch = readEtags(c.req.header("if-none-match"));
  if (ifNoneMatch.includes(etag) || ifNoneMatch.includes("*"))
    return new Response(null, { status: 304, headers: common });
  return new Response(body, {
    headers: { ...common, ...headers, ...(isCompressed && { "content-encoding": "gzip" }) },
  });
}
