// Verification beside its neighbours, each with the scheme that it is made for, all from the bytes that arrive.
// The ratio is to the first column, ours: below 1.00 is slower. Run with `npm ci && npm start` on Node 24.
import { verify as octokitVerify, sign as octokitSign } from "@octokit/webhooks-methods";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { verify } from "../../packages/core/src/webhooks/index.ts";
import { receiveSync, signSync, verifySync } from "../../packages/core/src/webhooks/node.ts";
import { compare } from "../../scripts/bench/compare.ts";

const secret = `whsec_${Buffer.from("for benchmarks only, no secret!!").toString("base64")}`;
const stripe = Stripe.webhooks;
const stripeSignature = stripe.signature!;
const subtle = Stripe.createSubtleCryptoProvider();
const standard = new StandardWebhook(secret);
const svix = new SvixWebhook(secret);

for (const kilobytes of [1, 10, 100]) {
  const text = eventOf(kilobytes * 1024);
  const body = Buffer.from(text);
  // Stripe's scheme is ours: the same header serves both.
  const header = signSync(body, secret);
  const octokit = await octokitSign(secret, text);
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const standardHeaders = {
    "webhook-id": "evt_01",
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.sign("evt_01", now, text),
  };
  const svixHeaders = {
    "svix-id": "evt_01",
    "svix-timestamp": timestamp,
    "svix-signature": svix.sign("evt_01", now, text),
  };

  await compare(`check ${kilobytes} KB`, {
    verifySync: () => verifySync(body, header, secret),
    stripe: () => stripeSignature.verifyHeader(body, header, secret),
    octokit: () => octokitVerify(secret, body.toString(), octokit),
    standardwebhooks: () => standard.verify(body, standardHeaders, { jsonParse: false }),
  });
  await compare(`event ${kilobytes} KB`, {
    receiveSync: () => receiveSync(body, header, secret),
    stripe: () => stripe.constructEvent(body, header, secret),
    svix: () => svix.verify(body, svixHeaders),
    standardwebhooks: () => standard.verify(body, standardHeaders),
  });
  await compare(`WebCrypto ${kilobytes} KB`, {
    verify: () => verify(body, header, secret),
    stripe: () => stripeSignature.verifyHeaderAsync(body, header, secret, 300, subtle),
  });
}

/** An event of about so many bytes, ASCII alone, in the shape that every neighbour reads. */
function eventOf(bytes: number): string {
  const message = "x".repeat(bytes - 130);
  return JSON.stringify({ id: "evt_01", event: "ping", createdAt: new Date(), data: { message } });
}
