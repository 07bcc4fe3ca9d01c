// What both entries export: the one on Web Crypto, and the synchronous one for Node.
export type { WebhookEnvelope, WebhookEvent } from "../catalogue/events.ts";
export type { WebhookBody } from "./body.ts";
export { type WebhookVerificationCode, WebhookVerificationError } from "./error.ts";
export { type EventStore, once } from "./once.ts";
export type { SignatureHeader, SignOptions, VerifyOptions, WebhookSecret } from "./signature.ts";
