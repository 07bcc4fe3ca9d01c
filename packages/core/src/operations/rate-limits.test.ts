import { expect, test } from "vitest";
import { rateLimits } from "./rate-limits.ts";

test("the default limits are the published ones", () => {
  const perMinute = (per: string, quota: number) => ({ per, quota, windowSeconds: 60 });
  expect(rateLimits).toEqual({
    ip: perMinute("ip", 6000),
    anon: perMinute("ip", 120),
    read: perMinute("token", 6000),
    write: perMinute("token", 1200),
    evals: perMinute("token", 120),
    search: perMinute("token", 30),
    comment: { per: "account", quota: 60, windowSeconds: 600 },
    import: { per: "account", quota: 20, windowSeconds: 3600 },
    upload: { per: "account", quota: 200, windowSeconds: 3600 },
    wait: { per: "account", quota: 3000, windowSeconds: 30 },
    discord: perMinute("target", 30),
    link: { per: "account", quota: 10, windowSeconds: 600 },
    ai: { per: "account", quota: 50, windowSeconds: 86_400 },
    ping: perMinute("target", 10),
    auth: { per: "ip", quota: 20, windowSeconds: 600 },
  });
});
