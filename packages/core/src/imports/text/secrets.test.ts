import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { complaintAbout } from "../../testing/growth.ts";
import { findSecrets, searchedText } from "./secrets.ts";

describe("a secret", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const sec1 = privateKey.export({ type: "sec1", format: "pem" }).toString();
  const ed25519 = generateKeyPairSync("ed25519")
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
  // Put together here, so that nothing which looks like one stands in this file.
  const letters = "q7Rk2mXv9TzL4wBn8sHd3jYc6gPf1aUe5oKi";
  const hex = "9f8e7d6c5b4a39281706f5e4d3c2b1a0".repeat(2);
  const spread = (type: string) => `-----BEGIN ${type}-----\nVersion: 1\n\n${pem.split("\n")[1]}\n`;
  test.each([
    sec1,
    ed25519,
    pem.replace(/^/gm, "> "),
    pem.replace(/^/gm, "    - "),
    pem.split("\n").slice(0, 2).join("\n"),
    JSON.stringify({ key: ed25519 }),
    `-----BEGIN PRIVATE KEY-----\n${letters.slice(0, 20)}+${letters.slice(20)}/+9a\n`,
    spread("PGP PRIVATE KEY BLOCK"),
    spread("PGP PRIVATE KEY BLOCK").replace("\n\n", `\nComment: ${"on paper ".repeat(60)}\n\n`),
    `PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n${pem.split("\n")[1]}`,
    `AGE-SECRET-KEY-1${letters.toUpperCase()}${letters.slice(0, 22).toUpperCase()}`,
    JSON.stringify(privateKey.export({ format: "jwk" })),
    `redis://:${letters}@cache.acme.io:6379`,
    `amqp://app:${letters}@mq.acme.io/vhost`,
    `mongodb+srv://app:${letters}@cluster.yourco.com/db`,
    `https://app:p@ss${letters}@git.example.com/x.git`,
    `https://app:p@localhost${letters}@git.acme.io/x.git`,
    `https://app:${letters}:admin@git.acme.io/x.git`,
    `https://app:@${letters}@git.acme.io/x.git`,
    `https://app:$@${letters}@git.acme.io/x.git`,
    `https://app:{}@${letters}@git.acme.io/x.git`,
    `pypi-AgEIcHlwaS5vcmc${letters}${letters}`,
    `//registry.acme.io/:_authToken=${letters}`,
    `dop_v1_${hex}`,
    `https://discord.com/api/webhooks/123498765432109876/${letters}${letters}`,
    `AccountKey=${letters}${letters}${letters.slice(0, 14)}==`,
    `xapp-1-A0B1C2D3E4F-9182736450918-${hex}`,
    `918273645:AA${letters.slice(0, 33)}`,
    `AKIA${letters
      .toUpperCase()
      .replace(/[^A-Z2-7]/g, "")
      .slice(0, 16)}`,
    "ASIAQYLXMNHVZKXTRWCJ",
    `Authorization: Bearer ${letters}`,
    `curl -H "Authorization: Basic ${btoa(`ada:${letters}`)}"`,
    `{"authorization": "Token ${letters}"}`,
    `eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhY21lIn0.${letters}`,
    `DB_PASSWORD=${letters.slice(0, 12)}`,
    "DB_PASSWORD=a1b2c3d1b2",
    `-----BEGIN PRIVATE KEY-----\n${"aB1cD2eF3gH4i".repeat(4)}\n`,
    `export STRIPE_SECRET_KEY='${letters}'`,
    `  API_KEY: ${letters}`,
    `sk-${letters.slice(0, 32)}`,
    `sk-proj-${letters}${letters}`,
  ])("is known in each form, such as %#", async (secret) => {
    expect(await findSecrets(`Key:\n${secret}\n`)).toMatchObject([{ line: expect.any(Number) }]);
  });

  test.each([
    "sk-...",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as npm writes it
    "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
    "AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    `ghp_${"x".repeat(36)}`,
    `ghp_${letters.slice(0, 30)}xxxxxx`,
    `sk-ant-api03-${"x".repeat(93)}AA`,
    `sk_live_${"x".repeat(24)}`,
    "xoxb-your-token-here",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "https://user:pass@example.com/path",
    "amqp://guest:guest@mq.acme.io",
    "https://USER:API_TOKEN@git.acme.io/x.git",
    "[here](http://acme.io:8080),ada@acme.io",
    "https://acme.io:8443?mail=ada@acme.io",
    "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
    "postgres://user:password@db.acme.io:5432/app",
    "postgres://app:q7Rk2mXv9TzL@localhost:5432/app",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as shells write it
    "postgres://app:${DB_PASSWORD}@db.acme.io/app",
    "Authorization: Bearer {{token}}",
    `Authorization: Basic ${btoa("admin:xxxx xxxx xxxx xxxx")}`,
    `Authorization: Basic ${btoa("user:password")}`,
    "Authorization: Bearer <TOKEN>",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer my-very-long-access-token",
    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9...",
    "DB_PASSWORD=changeme",
    "DB_PASSWORD=change-me-1",
    "DB_PASSWORD=postgres",
    "POSTGRES_PASSWORD=secret123",
    "POSTGRES_PASSWORD=a1b2c3a1b2",
    "SECRET_KEY=of-k8s-v1b2c3d",
    "https://app:secret12@git.acme.io/x.git",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxx",
    "API_KEY=process.env.API_KEY_2",
    "OPENAI_API_KEY=sk-...",
    "SECRET_KEY = os.environ['SECRET_KEY']",
    "MAX_TOKEN=4096",
    "sk-learn-extra-transformers2",
    `sk-ant--${letters}${letters}${letters}`,
    // As jwt.io shows one.
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.q7Rk2mXv9TzL4wBn8sHd3jYc6gPf",
    "-----BEGIN PRIVATE KEY-----\nYOUR_KEY_HERE\n-----END PRIVATE KEY-----",
    `-----BEGIN PRIVATE KEY-----\n${"aB1cD2eF3gH4".repeat(5)}\n-----END PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\nsha256:${hex}\n-----END PRIVATE KEY-----`,
  ])("is not what documentation writes in its place: %s", async (placeholder) => {
    expect(
      await findSecrets(`key: ${placeholder}
`),
    ).toEqual([]);
  });

  test("is found in a file in UTF-16", async () => {
    const bytes = Buffer.from(`ghp_${letters}`, "utf16le");
    expect(await findSecrets(searchedText({ bytes, encoding: "base64" }))).toHaveLength(1);
  });

  test("of a kind is told once a line, and of one text a hundred at most", async () => {
    const key = `ghp_${letters}`;
    expect(await findSecrets(`a\n${key} ${key}\n`)).toEqual([{ line: 2, kind: "github token" }]);
    expect(await findSecrets(`${key}\n`.repeat(1_000))).toHaveLength(100);
  });

  test("is looked for at a cost that grows with the text", async () => {
    const beginnings = [
      "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n",
      "://a:",
      '"kty""d":"',
      "xoxb-1",
      "eyJ",
      "_authToken=",
      "A_TOKEN=",
      "AAAA_",
      "sk-ab-",
      "Authorization: Bearer a",
      "eyJaaaaaaaa.eyJaaaaaaaa.",
      "提示",
    ];
    const texts = beginnings.map((again) => ({ start: "", again, end: "" }));
    expect(await complaintAbout(findSecrets, texts)).toBeUndefined();
  });
});
