// How close verification comes to bare node:crypto: the ratio is to the first column, more is faster.
import { createHmac, timingSafeEqual } from "node:crypto";
import { verify } from "../../packages/core/src/webhooks/index.ts";
import { signSync, verifySync } from "../../packages/core/src/webhooks/node.ts";
import { compare } from "./compare.ts";

const secret = "whsec_Zm9yIGJlbmNobWFya3Mgb25seSwgbm8gc2VjcmV0";

for (const kilobytes of [1, 10, 100]) {
  const body = Buffer.alloc(kilobytes * 1024, "x");
  const header = signSync(body, secret);
  await compare(`verify ${kilobytes} KB`, {
    floor: () => floor(body, header),
    verifySync: () => verifySync(body, header, secret),
    verify: () => verify(body, header, secret),
  });
}

/** The least that a receiver can do and still be safe: read the header, check the time, sign, compare. */
function floor(body: Buffer, header: string): void {
  const [, t, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (t === undefined || signature === undefined) throw new Error("malformed header");
  if (Math.abs(Date.now() / 1000 - Number(t)) > 300) throw new Error("too old");
  const expected = createHmac("sha256", secret).update(`${t}.`).update(body).digest();
  if (!timingSafeEqual(Buffer.from(signature, "hex"), expected)) throw new Error("mismatch");
}
