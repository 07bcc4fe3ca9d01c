import { isThorough } from "../testing/growth.ts";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as web from "./index.ts";
import * as node from "./node.ts";
import { codePoint } from "../testing/code-point.ts";

type Entry = Pick<typeof web, "sign" | "verify" | "receive">;

const entries: [name: string, entry: Entry][] = [
  ["@promptreg/core/webhooks", web],
  [
    "@promptreg/core/webhooks/node",
    {
      sign: async (...request) => node.signSync(...request),
      verify: async (...request) => node.verifySync(...request),
      receive: async (...request) => node.receiveSync(...request),
    },
  ],
];

const secret = "whsec_Zm9yIHRlc3RzIG9ubHksIG5vdCBhIHNlY3JldCE";
const otherSecret = "whsec_YW5vdGhlciBvbmUsIGZvciB0ZXN0cyBvbmx5ISE";
const t = 1_700_000_000;
const now = t * 1000;
const ping = '{"id":"evt_01","event":"ping","createdAt":"2023-11-14T22:13:20.000Z","data":{}}';
const pingHeader = `t=${t},v1=326a64073537cd77e53250d857d584e6a861303900f5498f7e5ace385dc59186`;
const bytes = (...values: number[]) => Uint8Array.from(values);
const utf8 = (text: string) => new TextEncoder().encode(text);
const refusal = (code: web.WebhookVerificationCode) =>
  expect.objectContaining({
    name: "WebhookVerificationError",
    code,
    statusCode: code.startsWith("invalid_") ? 500 : 400,
  });

afterEach(() => {
  vi.unstubAllGlobals();
});

describe.each(entries)("%s", (_name, { sign, verify, receive }) => {
  // Computed with `openssl dgst -sha256 -mac HMAC`, key and text given in hex.
  test.each([
    ["an empty body", bytes(), "0167758aeaf1fb904d344b118999d7e51352e4e07dc9e10a939e1c79d28f0607"],
    ["a ping", utf8(ping), "326a64073537cd77e53250d857d584e6a861303900f5498f7e5ace385dc59186"],
    [
      "NUL, a byte order mark and broken UTF-8",
      bytes(0, 0xff, 0xfe, 0xef, 0xbb, 0xbf, 0xc3, 0x28, 0x0a),
      "6b5731059d93640e1ebc9da42358370a27e809f06f330359d0aa5238bd4fe4ce",
    ],
    ["a text", "Grüße ✓", "896732559c70cb2602051adc64c225c17c91bb29c94c6d91e34d3cd2caf9a172"],
    [
      "100,000 bytes",
      new Uint8Array(100_000).fill(0x61),
      "78a56d6fe6f4928815ce87280d403672b96cf37c44ea2087c6aaac5dfac09cda",
    ],
  ])("signs %s as openssl does", async (_body, body, hex) => {
    expect(await sign(body, secret, { now })).toBe(`t=${t},v1=${hex}`);
    expect(await verify(body, `t=${t},v1=${hex}`, secret, { now })).toBeUndefined();
  });

  test("the literal digits of t are what is signed", async () => {
    const zeros = "t=001700000000,v1=8c9b6d4cb1d1ca27a224b133ee233d0b20587eb03f3a7183dd5b0630f02394f1";
    expect(await verify("Grüße ✓", zeros, secret, { now })).toBeUndefined();
    await expect(verify("Grüße ✓", zeros.replace("t=00", "t="), secret, { now })).rejects.toEqual(
      refusal("signature_mismatch"),
    );
  });

  test("a fresh signature passes by the system clock", async () => {
    expect(await verify(ping, await sign(ping, secret), secret)).toBeUndefined();
  });

  test("a genuine request gives its event", async () => {
    expect(await receive(utf8(ping), pingHeader, secret, { now })).toEqual(JSON.parse(ping));
  });

  test("a body may come as bytes, a Buffer, an ArrayBuffer, part of one, or text", async () => {
    const padded = utf8(`xx${ping}x`);
    const forms = [utf8(ping), Buffer.from(ping), utf8(ping).buffer, padded.subarray(2, -1), ping];
    for (const body of forms)
      expect(await receive(body, pingHeader, secret, { now })).toMatchObject({ id: "evt_01" });
  });

  test.each([undefined, null, 1, {}, JSON.parse(ping), [1, 2], new Uint16Array(2)])(
    "a body that is not raw bytes is refused: %j",
    async (body) => {
      await expect(verify(body as never, pingHeader, secret, { now })).rejects.toEqual(
        refusal("invalid_body"),
      );
      await expect(sign(body as never, secret)).rejects.toEqual(refusal("invalid_body"));
    },
  );

  test.each([
    ["an object", JSON.parse(ping), "[object Object]"],
    ["nothing", undefined, "[object Undefined]"],
    ["what nobody waited for", Promise.resolve(utf8(ping)), "[object Promise]"],
    ["a stream", new ReadableStream(), "[object ReadableStream]"],
  ])("%s for a body is told as what it is, and what went wrong", async (_name, body, told) => {
    await expect(verify(body as never, pingHeader, secret, { now })).rejects.toThrow(
      `The body is ${told}, not bytes: was it parsed?`,
    );
  });

  test("bytes that only read the same are refused", async () => {
    const header = await sign("a\ufffd", secret, { now });
    const broken = [bytes(0x61, 0xff), bytes(0xef, 0xbb, 0xbf, ...utf8("a\ufffd"))];
    for (const body of broken) {
      await expect(verify(body, header, secret, { now })).rejects.toEqual(refusal("signature_mismatch"));
    }
  });

  describe("time", () => {
    test.each([-300, 300])("a signature %d seconds off the clock passes", async (offset) => {
      expect(await verify(ping, pingHeader, secret, { now: new Date(now + offset * 1000) })).toBeUndefined();
    });

    test.each([-301, 301, 86_400])("a signature %d seconds off the clock is refused", async (offset) => {
      await expect(verify(ping, pingHeader, secret, { now: now + offset * 1000 })).rejects.toEqual(
        refusal("timestamp_out_of_tolerance"),
      );
    });

    test("whatever the tolerance, it holds to the second in both directions", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 100_000 }),
          fc.integer({ min: -2, max: 2 }),
          fc.constantFrom(-1, 1),
          fc.nat(999),
          async (toleranceSeconds, beyond, direction, ms) => {
            const clock = now + direction * (toleranceSeconds + beyond) * 1000;
            const isFresh = Math.abs(Math.floor((clock + ms) / 1000) - t) <= toleranceSeconds;
            const verdict = verify(ping, pingHeader, secret, { now: clock + ms, toleranceSeconds });
            if (isFresh) expect(await verdict).toBeUndefined();
            else await expect(verdict).rejects.toEqual(refusal("timestamp_out_of_tolerance"));
          },
        ),
      );
    });

    test("the receiver may narrow or widen the tolerance", async () => {
      expect(
        await verify(ping, pingHeader, secret, { now: now + 900_000, toleranceSeconds: 900 }),
      ).toBeUndefined();
      await expect(
        verify(ping, pingHeader, secret, { now: now + 11_000, toleranceSeconds: 10 }),
      ).rejects.toEqual(refusal("timestamp_out_of_tolerance"));
    });

    test.each([0, -0, -1, Number.NaN, Infinity, -Infinity, "300", null])(
      "a tolerance of %s does not switch the check off",
      async (toleranceSeconds) => {
        const options = { now, toleranceSeconds: toleranceSeconds as number };
        await expect(verify(ping, pingHeader, secret, options)).rejects.toEqual(refusal("invalid_option"));
      },
    );

    test.each([Number.NaN, -1, Infinity, 1e15, new Date("never")])(
      "a clock of %s is refused",
      async (clock) => {
        await expect(verify(ping, pingHeader, secret, { now: clock })).rejects.toEqual(
          refusal("invalid_option"),
        );
        await expect(sign(ping, secret, { now: clock })).rejects.toEqual(refusal("invalid_option"));
      },
    );
  });

  describe("header", () => {
    const hex = pingHeader.slice(-64);
    const wrong = "0".repeat(64);

    test.each([
      ["the right v1 among wrong ones", `t=${t},v1=${wrong},v1=${hex},v1=nonsense`],
      ["unknown keys", `v0=${wrong},t=${t},v1=${hex},v2=x,,=,note`],
      ["a space after a comma", `t=${t}, v1=${hex}`],
      ["a list of one", [pingHeader]],
      ["a list of its lines", [`t=${t}`, `v1=${hex}`]],
    ])("%s passes", async (_name, header) => {
      expect(await verify(ping, header, secret, { now })).toBeUndefined();
    });

    test.each([[undefined], [null], [""], [[]], [{} as string], [[{}] as string[]]])(
      "%j is a missing header",
      async (header) => {
        await expect(verify(ping, header, secret, { now })).rejects.toEqual(refusal("missing_header"));
      },
    );

    test.each([
      ["no t", `v1=${hex}`],
      ["no v1", `t=${t}`],
      ["t twice", `t=${t},t=${t},v1=${hex}`],
      ["two whole headers", [pingHeader, pingHeader]],
      ["a negative t", `t=-${t},v1=${hex}`],
      ["a t with a fraction", `t=${t}.0,v1=${hex}`],
      ["a t in hex", `t=0x6553f100,v1=${hex}`],
      ["a t in exponents", `t=17e8,v1=${hex}`],
      ["a t of 13 digits", `t=0000${t}`.slice(0, 15) + `,v1=${hex}`],
      ["a t in Arabic digits", `t=١٧٠٠٠٠٠٠٠٠,v1=${hex}`],
      ["a line break before the digits of t", `t=\n${t},v1=${hex}`],
      ["more than 2,048 characters", `${pingHeader},v1=`.padEnd(2049, "0")],
      ["a million entries", `${pingHeader}${",v1=".repeat(1_000_000)}`],
    ])("%s is malformed", async (_name, header) => {
      await expect(verify(ping, header, secret, { now })).rejects.toEqual(refusal("malformed_header"));
    });

    test.each([
      ["an empty v1", ""],
      ["a short v1", hex.slice(1)],
      ["a long v1", `${hex}0`],
      ["upper-case hex", hex.toUpperCase()],
      [
        "characters whose low byte is right",
        hex.replaceAll(/./g, (c) => String.fromCharCode(256 + c.charCodeAt(0))),
      ],
    ])("%s does not match", async (_name, v1) => {
      await expect(verify(ping, `t=${t},v1=${v1}`, secret, { now })).rejects.toEqual(
        refusal("signature_mismatch"),
      );
    });

    test("however many v1 there are, in whatever order, one that fits decides", async () => {
      const others = fc.array(fc.stringMatching(/^[0-9a-f]{64}$/), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(others, fc.nat(12), fc.nat(13), async (forged, at, timeAt) => {
          const without = forged.map((v1) => `v1=${v1}`);
          const withIt = without.toSpliced(at, 0, `v1=${hex}`);
          const header = withIt.toSpliced(timeAt, 0, `t=${t}`).join();
          expect(await verify(ping, header, secret, { now })).toBeUndefined();
          await expect(verify(ping, [`t=${t}`, ...without, "v1="], secret, { now })).rejects.toEqual(
            refusal("signature_mismatch"),
          );
        }),
      );
    });

    test("may be 2,048 characters long", async () => {
      expect(await verify(ping, `${pingHeader},v1=`.padEnd(2048, "0"), secret, { now })).toBeUndefined();
    });

    test("no text is anything but a typed refusal", async () => {
      const piece = fc.oneof(
        fc.string({ unit: codePoint }),
        fc.constantFrom("t=", "v1=", ",", "1", String(t), hex, "=", " "),
      );
      const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
      await fc.assert(
        fc.asyncProperty(fc.oneof(text, fc.array(text, { maxLength: 4 })), async (header) => {
          await expect(verify("another body", header, secret, { now })).rejects.toBeInstanceOf(
            web.WebhookVerificationError,
          );
        }),
      );
    });
  });

  describe("secret", () => {
    test("any of the receiver's secrets may match", async () => {
      expect(await verify(ping, pingHeader, [otherSecret, secret], { now })).toBeUndefined();
    });

    test.each([
      ["another one", otherSecret],
      ["the text after whsec_ changed in case", secret.toLowerCase()],
    ])("%s is refused", async (_name, other) => {
      await expect(verify(ping, pingHeader, other, { now })).rejects.toEqual(refusal("signature_mismatch"));
    });

    test.each(
      [
        [
          "",
          undefined,
          null,
          "undefined",
          "whsec_",
          secret.slice(6),
          ` ${secret}`,
          `${secret}\n`,
          `"${secret}"`,
        ],
        [[], [secret, ""], [[secret]], {}, 1],
      ].flat(1),
    )("%j is no secret, whatever the request holds", async (bad) => {
      await expect(verify(ping, pingHeader, bad as never, { now })).rejects.toEqual(
        refusal("invalid_secret"),
      );
      await expect(verify(ping, undefined, bad as never, { now })).rejects.toEqual(refusal("invalid_secret"));
      await expect(sign(ping, bad as never)).rejects.toEqual(refusal("invalid_secret"));
    });

    test("no refusal says the secret or the signature that was expected", async () => {
      const request: Parameters<Entry["verify"]>[] = [
        [`${ping} `, pingHeader, secret, { now }],
        [ping, pingHeader, secret, { now: now * 2 }],
        [ping, pingHeader, `${secret} `, { now }],
      ];
      for (const [body, ...rest] of request) {
        const error = (await verify(body, ...rest).catch((error: unknown) => error)) as Error;
        const expected = await sign(body, secret, { now });
        expect(error.message).toMatch(/^[A-Zt]/);
        expect(`${error.stack}${JSON.stringify(error)}`).not.toMatch(
          new RegExp(`${secret.slice(6)}|${expected.slice(-64)}`),
        );
      }
    });
  });

  test("whatever it is given, in whichever place, is answered or refused with the one class", async () => {
    const detached = new ArrayBuffer(ping.length);
    const view = new Uint8Array(detached);
    structuredClone(detached, { transfer: [detached] });
    const throws = () => {
      throw new Error("trap");
    };
    const trap = new Proxy([], { get: throws, getPrototypeOf: throws });
    const { proxy: revoked, revoke } = Proxy.revocable([], {});
    revoke();
    const unequal = Object.assign([Symbol("odd")], { every: () => true, join: throws });
    const fakes = [
      Object.create(Uint8Array.prototype),
      Object.create(null),
      { valueOf: throws },
      Array.from({ length: 3 }),
    ];
    const odd: unknown[] = [
      null,
      Symbol("odd"),
      1n,
      Number.NaN,
      () => 1,
      new Map(),
      "\ud800",
      "x".repeat(1e6),
    ];
    for (const it of [...odd, ...fakes, detached, view, trap, revoked, unequal] as never[]) {
      const calls = [
        verify(it, pingHeader, secret, { now }),
        verify(ping, it, secret, { now }),
        verify(ping, pingHeader, it, { now }),
        receive(ping, pingHeader, secret, it),
        receive(ping, pingHeader, secret, { now: it }),
        receive(ping, pingHeader, secret, { now, toleranceSeconds: it }),
        sign(it, secret),
        sign(ping, it),
        sign(ping, secret, it),
        sign(ping, secret, { now: it }),
      ];
      for (const end of await Promise.allSettled(calls)) {
        if (end.status === "rejected") expect(end.reason).toBeInstanceOf(web.WebhookVerificationError);
      }
    }
    for (const body of [detached, view])
      await expect(verify(body, pingHeader, secret, { now })).rejects.toEqual(refusal("invalid_body"));
    await expect(verify(ping, pingHeader, secret, null as never)).rejects.toEqual(refusal("invalid_option"));
  });

  describe("event", () => {
    test.each([
      ["no JSON", "{"],
      ["nothing", ""],
      ["null", "null"],
      ["a list", "[]"],
      ["no id", ping.replace('"id"', '"no"')],
      ["an id that is a number", ping.replace('"evt_01"', "1")],
      ["no event name", ping.replace('"event"', '"no"')],
      ["no createdAt", ping.replace('"createdAt"', '"no"')],
      ["no data", ping.replace('"data"', '"no"')],
      ["data that is null", ping.replace("{}", "null")],
      ["data that is a list", ping.replace("{}", "[]")],
      ["a byte order mark", bytes(0xef, 0xbb, 0xbf, ...utf8(ping))],
      ["broken UTF-8", bytes(...utf8(ping.slice(0, 9)), 0xff, ...utf8(ping.slice(9)))],
      ["a hundred thousand brackets", "[".repeat(100_000)],
    ])("a signed body that holds %s is refused", async (_name, body) => {
      const header = await sign(body, secret, { now });
      await expect(receive(body, header, secret, { now })).rejects.toEqual(refusal("malformed_body"));
    });

    test("an event that this version does not know, and fields that it does not, come through", async () => {
      const body = JSON.stringify({
        ...JSON.parse(ping),
        event: "prompt.forked",
        data: { fork: { n: 1 } },
        more: true,
      });
      const header = await sign(body, secret, { now });
      expect(await receive(body, header, secret, { now })).toEqual(JSON.parse(body));
    });

    test("a forged body is refused before it is parsed", async () => {
      await expect(receive("{", pingHeader, secret, { now })).rejects.toEqual(refusal("signature_mismatch"));
    });
  });

  test("any body that was signed passes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5000 }), async (body) => {
        expect(await verify(body, await sign(body, secret, { now }), secret, { now })).toBeUndefined();
      }),
    );
  });

  test("one flipped bit of the body, of t or of the signature is refused", async () => {
    const signed = utf8(`${pingHeader.slice(2)}${ping}`);
    await fc.assert(
      fc.asyncProperty(fc.nat(signed.length * 8 - 1), async (bit) => {
        const flipped = signed.slice();
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        const header = `t=${Buffer.from(flipped.subarray(0, pingHeader.length - 2)).toString("latin1")}`;
        const body = flipped.subarray(pingHeader.length - 2);
        await expect(verify(body, header, secret, { now })).rejects.toBeInstanceOf(
          web.WebhookVerificationError,
        );
      }),
      { numRuns: isThorough ? 300 : 30 },
    );
  });
});

test("both entries sign alike and throw the same class", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), fc.nat(2 ** 31), async (body, clock) => {
      expect(await web.sign(body, secret, { now: clock })).toBe(node.signSync(body, secret, { now: clock }));
    }),
  );
  expect(node.WebhookVerificationError).toBe(web.WebhookVerificationError);
});

test.each([
  ["no crypto", undefined],
  ["no crypto.subtle, as in a browser without https", {}],
  ["one that refuses", { subtle: { importKey: () => Promise.reject(new Error("no")) } }],
])("a runtime with %s is told of", async (what, crypto) => {
  vi.stubGlobal("crypto", crypto);
  const key = `whsec_${what.length}`;
  await expect(web.sign(ping, key)).rejects.toEqual(refusal("invalid_runtime"));
  await expect(web.verify(ping, pingHeader, key, { now })).rejects.toEqual(refusal("invalid_runtime"));
});

test("the event is read from the bytes that were verified, though the buffer changes meanwhile", async () => {
  const body = utf8(ping);
  const received = web.receive(body, pingHeader, secret, { now });
  body.set(utf8('{"id":"evt_99"'));
  expect(await received).toMatchObject({ id: "evt_01" });
});

test("keys that take turns stay ready, a hundred at most, and no program can read them", async () => {
  const imported = vi.spyOn(crypto.subtle, "importKey");
  const importsOf = async (count: number, distinct: number) => {
    imported.mockClear();
    for (let i = 0; i < count; i++) {
      const key = `whsec_${i % distinct}`;
      expect(await web.verify(ping, node.signSync(ping, key, { now }), key, { now })).toBeUndefined();
    }
    return imported.mock.calls.length;
  };
  expect(await importsOf(250, 150)).toBeGreaterThan(150);
  expect(imported).toHaveBeenCalledWith("raw", expect.anything(), expect.anything(), false, ["sign"]);
  expect(await importsOf(40, 2)).toBeLessThan(5);
  imported.mockRestore();
});
