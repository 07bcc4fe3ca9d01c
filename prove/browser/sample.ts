// Eval runs for the proof: two versions of a prompt that answers customers, of which the second promises money.
import { documentOf, sideOf } from "../../packages/cli/src/evals/documents/testing.ts";

const topics = [
  "refund",
  "late-delivery",
  "broken-item",
  "wrong-size",
  "invoice",
  "cancel-order",
  "gift-card",
];

const greeting = (topic: string) => `thank you for your message about your ${topic.replaceAll("-", " ")}.`;
const before = (topic: string, order: number) => `Hello,

${greeting(topic)} I am sorry that this has caused you trouble.

I have checked order ${order} and will arrange a replacement today. You will get a confirmation within 24 hours.

Is there anything else that I can do for you?

Kind regards,
The support team`;
const now = (topic: string, order: number, isBad: boolean) => `Hi,

${greeting(topic)} I am sorry that this has caused you trouble.

I have checked order ${order} and will ${isBad ? "pay back $240" : "arrange a replacement"} today.${isBad ? "" : " You will get a confirmation within 24 hours."}

Kind regards,
The support team`;

/** From 0 to 1, and the same each time. */
const share = (at: number, salt: number) =>
  Math.abs((Math.sin(at * 12.9898 + salt * 78.233) * 43_758.5453) % 1);

/** As many cases as are asked for: about one in eight breaks, and one in twenty is fixed. */
export function sampleOf(count: number) {
  const cases = Array.from({ length: count }, (_, at) => {
    const topic = topics[at % topics.length] ?? "";
    const caseKey = `${topic}-${String(at + 1).padStart(3, "0")}`;
    const side = (isBad: boolean, output: string, salt: number) => {
      const score =
        Math.round(100 * (isBad ? 0.15 + 0.3 * share(at, salt) : 0.7 + 0.3 * share(at, salt))) / 100;
      const reason = isBad ? "It promises money, which the policy does not allow." : "It follows the policy.";
      return sideOf({
        caseKey,
        status: isBad ? "failed" : "passed",
        score,
        output,
        assertions: [{ type: "llm-rubric", passed: !isBad, score, reason }],
        latencyMs: 600 + Math.round(1400 * share(at, salt)),
        inputTokens: 306,
        outputTokens: 150 + (at % 40),
        costUsd: 0.0002,
      });
    };
    const luck = share(at, 1);
    const errored = sideOf({ caseKey, status: "errored", error: "429 Too Many Requests, after 3 attempts" });
    const isBad = luck < 0.06 || luck > 0.88;
    return {
      caseKey,
      before: at === 17 ? null : side(luck < 0.08, before(topic, 1000 + at), 2),
      now: at === 33 ? null : at === 60 ? errored : side(isBad, now(topic, 1000 + at, isBad), 3),
    };
  });
  return documentOf(cases);
}
