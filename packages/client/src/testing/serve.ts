import { ApiError, apiError, type FileInput, type Operation } from "@promptreg/core";
import type { CalledOperation } from "@promptreg/core/testing";
import {
  chooseRequestId,
  matches,
  parse,
  permitFields,
  readIdempotencyKey,
  readQuery,
  readEtags,
  respondWithError,
} from "@promptreg/core/wire";
import { checkContent } from "./commit.ts";
import { readFile } from "./evals/import.ts";
import { emit } from "./events.ts";
import { type AnyReply, NotInTestRegistry } from "./handler.ts";
import { handlers } from "./handlers.ts";
import { admit, readBody, readParams, readToken, refuseQuery } from "./input.ts";
import { respond } from "./respond.ts";
import { findTarget } from "./targets.ts";
import { type Caller, publicUrl, type Stored, type StoredPrompt, type World } from "./world.ts";

/** A handler of any operation. */
type AnyHandler = (context: never) => AnyReply;

const dayMs = 86_400_000;
/** A longer response is read again when its request is repeated. */
const maxStoredBytes = 64 * 1024;

const nothing = { body: undefined, raw: "", type: "" };

/** Responds as the server does, or throws NotInTestRegistry. */
export async function serve(
  world: World,
  request: Request,
  called: CalledOperation | null,
): Promise<Response> {
  const { method, url, headers } = request;
  const handler = called && handlers[called.id];
  if (!called || !handler) {
    throw new NotInTestRegistry(called ? called.id : `${method} ${new URL(url).pathname}`);
  }
  const requestId = chooseRequestId(headers.get("x-request-id"));
  const { operation } = called;
  try {
    const token = readToken(headers.get("authorization"));
    const input = {
      params: readParams(called),
      query: operation.query ? parse(operation.query, readQuery(url)) : refuseQuery(url),
    };
    const isRead = operation.route.startsWith("GET ");
    const caller = admit(operation, token === null ? null : (world.callers.get(token) ?? "unknown"));
    const { body, raw, type = "" } = isRead ? nothing : await readBody(operation, request);
    if (!isRead) permitFields(operation.fields, body as object, caller);
    const { files } = (body ?? {}) as { files?: FileInput[] };
    // Async work comes first: everything after it is synchronous.
    const content = files
      ? await checkContent(files)
      : typeof body === "string"
        ? readFile(body, type)
        : null;
    const handle = handler as AnyHandler;
    const act: Act = { operation, request, caller, input: { ...input, body, content }, handle };
    const { reply, isReplay } = once(world, { request, raw, caller }, (again) =>
      change(world, { ...act, ...again }),
    );
    const isWriteOnly = caller !== null && !caller.scopes.includes("read");
    const response = await respond(isRead ? reply : visibleReply(isWriteOnly, operation, reply), {
      requestId,
      isRead,
      canWait: operation.canWait === true,
      isAnonymous: caller === null,
      ifNoneMatch: isRead ? readEtags(headers.get("if-none-match")) : [],
    });
    if (isReplay) response.headers.set("idempotency-replayed", "true");
    return method === "HEAD" ? new Response(null, response) : response;
  } catch (error) {
    if (error instanceof NotInTestRegistry || !(error instanceof ApiError)) throw error;
    return respondWithError(error, requestId);
  }
}

interface Outcome {
  reply: AnyReply;
  isReplay?: boolean;
}

/** Returns the stored response of a POST with the same Idempotency-Key, or runs the operation and stores its response. */
function once(
  { answers, clock }: World,
  { request, raw, caller }: { request: Request; raw: string; caller: Caller | null },
  act: (again?: Again) => AnyReply,
): Outcome {
  const header = request.method === "POST" ? request.headers.get("idempotency-key") : null;
  if (header === null || caller === null) return { reply: act() };
  const { pathname, search } = new URL(request.url);
  const name = JSON.stringify([caller.id, pathname, readIdempotencyKey(header)]);
  const earlier = answers.get(name);
  if (earlier !== undefined && earlier.at > clock.nowMs() - dayMs) {
    if (earlier.request !== search + raw) throw apiError("idempotency_key_reused");
    const reply = earlier.reply as AnyReply;
    const isLong = new TextEncoder().encode(JSON.stringify(reply.json)).length > maxStoredBytes;
    const again = isLong &&
      reply.again && { isReplay: true, handle: () => ({ ...reply, json: reply.again?.() }) };
    return { reply: again ? act(again) : reply, isReplay: true };
  }
  const reply = act();
  if (reply.status < 300) answers.set(name, { request: search + raw, reply, at: clock.nowMs() });
  return { reply };
}

/** What takes the place of the handler when a request is repeated. */
type Again = Required<Pick<Act, "handle" | "isReplay">>;

interface Act {
  operation: Operation;
  request: Request;
  caller: Caller | null;
  input: { params: unknown; query: unknown; body: unknown; content: unknown };
  handle: AnyHandler;
  isReplay?: boolean;
}

/** Runs a handler on a copy of its target, and stores its changes when it returns. */
function change(world: World, { operation, request, caller, input, handle, isReplay }: Act): AnyReply {
  const { on, from, with: others = {} } = operation.access;
  const asked = { ...input, caller };
  const found = on ? findTarget(world, { on, ...(from && { from }) }, asked) : null;
  const { slug } = input.params as { slug?: string };
  if (found && slug !== undefined && found.prompt.slug !== slug)
    return moved(operation, request, found.prompt);
  const further = Object.entries(others).map(([name, about]) => [
    name,
    findTarget(world, about, asked).target,
  ]);
  const ifMatch = /^(GET|HEAD)$/.test(request.method) || isReplay ? null : request.headers.get("if-match");
  if (found && ifMatch !== null && !matches(ifMatch, String(found.copy.revision)))
    throw apiError("precondition_failed");
  const changed: Stored[] = found ? [found.copy] : [];
  const emitted: World["events"] = [];
  const reply = handle({
    ...asked,
    target: found?.target ?? null,
    others: Object.fromEntries(further),
    world,
    emit: (name: never, prompt: StoredPrompt, data: object) =>
      emitted.push(emit(world, { caller, name, prompt, data })),
    save: (copy: Stored) => changed.push(copy),
  } as never);
  for (const copy of changed) world.store(copy);
  world.events.push(...emitted);
  return reply;
}

/** The redirect to the new address of a renamed prompt. */
function moved({ route }: Operation, { url }: Request, { owner, slug }: StoredPrompt): AnyReply {
  const { pathname, search } = new URL(url);
  const rest = pathname
    .split("/")
    .slice(6)
    .map((part) => `/${part}`);
  return {
    status: route.startsWith("GET ") ? 301 : 308,
    location: `${publicUrl}/api/v1/prompts/${owner.handle}/${slug}${rest.join("")}${search}`,
  };
}

/** A token that cannot read gets only that a change was made, not the changed resource. */
function visibleReply(isWriteOnly: boolean, { results }: Operation, reply: AnyReply): AnyReply {
  if (!isWriteOnly || results[204] === undefined || reply.json === undefined) return reply;
  return { status: 204, ...(reply.location !== undefined && { location: reply.location }) };
}
