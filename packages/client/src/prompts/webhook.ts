import {
  receive,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookSecret,
  WebhookVerificationError,
} from "@promptreg/core/webhooks";
import type { Request } from "../web.ts";
import type { Slot } from "./memory.ts";
import type { CacheParts } from "./parts.ts";
import type { remember } from "./remember.ts";

/** The result of a delivery. */
export interface HandledWebhook {
  event: WebhookEvent;
  /** False for a repeated event. Respond with 2xx all the same. */
  isNew: boolean;
  /** The prompts for which the registry responded, as `owner/slug@label`. If it refused one, its cache entry is deleted. */
  refreshed: string[];
}

/** The largest number of events, and of prompts, that are remembered. */
const maxRemembered = 1_000;

const noWebRequest =
  "handleWebhook takes a web Request. Create one: new Request(url, { method, headers, body: its bytes }). Or verify the bytes with receiveSync of @promptreg/core/webhooks/node.";

/** Refreshes the prompts that webhooks report, in this process alone. Others notice within the time to live. */
export class WebhookRefresh {
  readonly #cache: CacheParts;
  readonly #remember: typeof remember;
  /** By the id of the event. */
  readonly #handled = new Map<string, true>();
  /** When the latest refreshed event happened, by the id of the prompt. */
  readonly #newest = new Map<string, string>();

  /** @param keep passed in, not imported: an import here would move it out of the bundle's first chunk. */
  constructor(cache: CacheParts, keep: typeof remember) {
    this.#cache = cache;
    this.#remember = keep;
  }

  /** @throws {WebhookVerificationError} whose `statusCode` is the status to return. */
  async handle(request: Request, secret: WebhookSecret, options?: VerifyOptions): Promise<HandledWebhook> {
    if (typeof (request as Partial<Request> | undefined)?.arrayBuffer !== "function")
      throw new WebhookVerificationError("invalid_body", noWebRequest);
    const body = await request.arrayBuffer();
    const event = await receive(body, request.headers.get("service-signature"), secret, options);
    if (this.#handled.has(event.id)) return { event, isNew: false, refreshed: [] };
    const refreshed = await this.#refresh(event);
    this.#remember(this.#handled, event.id, true, maxRemembered);
    return { event, isNew: true, refreshed };
  }

  async #refresh({ data, createdAt }: WebhookEvent): Promise<string[]> {
    if (!("prompt" in data) || data.prompt === null) return [];
    const { id } = data.prompt;
    // A refresh after a later event has included this one.
    if ((this.#newest.get(id) ?? "") > createdAt) return [];
    const refreshed = await this.#requestAll(data.prompt);
    this.#remember(this.#newest, id, createdAt, maxRemembered);
    return refreshed;
  }

  /** Requests all cached labels of a prompt again. Returns those that got a response. */
  async #requestAll({ id, ref }: { id: string; ref: string }): Promise<string[]> {
    const { memory, lookups, request } = this.#cache;
    lookups.forget(ref);
    const moved = memory
      .values()
      .filter(
        ({ target, entry }) => target.version === undefined && (entry.promptId === id || entry.ref === ref),
      );
    for (const slot of moved) slot.freshUntil = 0;
    const refresh = async ({ target }: Slot) => ("failure" in (await request(target)) ? [] : target.key);
    return (await Promise.all(moved.map(refresh))).flat();
  }
}
