import {
  receive,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookSecret,
  WebhookVerificationError,
} from "@promptreg/core/webhooks";
import type { PromptCache } from "./cache.ts";
import type { Request } from "../web.ts";
import type { remember } from "./remember.ts";

/** What a delivery brought. */
export interface HandledWebhook {
  event: WebhookEvent;
  /** False for an event that came before; answer 2xx all the same. */
  isNew: boolean;
  /** The prompts of which the registry answered anew, as `owner/slug@label`; what it refused is kept no more. */
  refreshed: string[];
}

/** Events, and prompts, that are remembered. */
const mostRemembered = 1_000;

const notOfTheWeb =
  "handleWebhook takes a web Request. Make one of what came: new Request(url, { method, headers, body: its bytes }); or verify those with receiveSync of @promptreg/core/webhooks/node.";

/** Refreshes what webhooks say has moved, in the process that gets them; others notice by the time to live. */
export class WebhookRefresh {
  readonly #cache: PromptCache;
  readonly #remember: typeof remember;
  /** By id of the event. */
  readonly #handled = new Map<string, true>();
  /** When what was refreshed last happened, by id of the prompt. */
  readonly #newest = new Map<string, string>();

  /** @param keep as the cache has it: what is loaded later would otherwise pull it out of what is loaded at once. */
  constructor(cache: PromptCache, keep: typeof remember) {
    this.#cache = cache;
    this.#remember = keep;
  }

  /** @throws {WebhookVerificationError} whose `statusCode` is what to answer. */
  async handle(request: Request, secret: WebhookSecret, options?: VerifyOptions): Promise<HandledWebhook> {
    if (typeof (request as Partial<Request> | undefined)?.arrayBuffer !== "function")
      throw new WebhookVerificationError("invalid_body", notOfTheWeb);
    const body = await request.arrayBuffer();
    const event = await receive(body, request.headers.get("service-signature"), secret, options);
    if (this.#handled.has(event.id)) return { event, isNew: false, refreshed: [] };
    const refreshed = await this.#refresh(event);
    this.#remember(this.#handled, event.id, true, mostRemembered);
    return { event, isNew: true, refreshed };
  }

  async #refresh({ data, createdAt }: WebhookEvent): Promise<string[]> {
    if (!("prompt" in data)) return [];
    const { id } = data.prompt;
    // What was asked for after a later event knows of this one.
    if ((this.#newest.get(id) ?? "") > createdAt) return [];
    const refreshed = await this.#cache.refresh(data.prompt);
    this.#remember(this.#newest, id, createdAt, mostRemembered);
    return refreshed;
  }
}
