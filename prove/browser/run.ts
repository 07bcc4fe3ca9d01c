// The pages of the server in a real Chromium: they ask for nothing elsewhere, leave nothing on the console, fit every
// window, show every operation and every event, and end mail for whoever presses the button. So does the report of an
// eval run, which the command line writes. The HTML of what people write runs nothing. Screenshots go to a
// temporary folder, or the one given as an argument. Run
// with `npm ci && npm start` on Node 24.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { type AddressInfo, BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import Chromium from "@sparticuz/chromium";
import { Hono } from "hono";
import { type Browser, chromium } from "playwright-core";
import { contract } from "../../packages/core/src/contract.ts";
import { events } from "../../packages/core/src/catalogue/events.ts";
import { listOperations } from "../../packages/core/src/operations/operation.ts";
import { renderAsk, renderBad, renderDone } from "../../packages/server/src/groups/notifications/pages.ts";
import { respond } from "../../packages/server/src/kernel/operations/respond.ts";
import { mountReference } from "../../packages/server/src/reference/index.ts";
import { findNoBarriers } from "./barriers.ts";
import { checkEvalReport } from "./eval-report.ts";
import { checkHostileHtml } from "./hostile-html.ts";

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), "promptreg-reference-"));
const app = new Hono();
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
await new Promise((resolve) => server.once("listening", resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
mountReference(app, {
  contract,
  server: { publicUrl: origin, limiter: null, trustedProxies: new BlockList() },
});
const shown = { handle: "alice", list: "prompt.version.created" };
const page = (status: number, rendered: object) =>
  respond(
    { status, ...rendered },
    { id: "proof", accept: "", isRead: true, isAnonymous: true, held: [], meter: null, admit: () => {} },
  );
app.get("/unsubscribe", () => page(200, renderAsk(shown)));
app.post("/unsubscribe", async (c) => {
  assert.equal(await c.req.text(), "List-Unsubscribe=One-Click");
  assert.equal(c.req.header("referer"), undefined);
  return page(200, renderDone(shown));
});
app.get("/bad", () => page(404, renderBad()));
// Without a sandbox, as root has none; with web security, which the arguments that come along switch off.
const browser = await chromium.launch({
  executablePath: await Chromium.executablePath(),
  args: ["--no-sandbox", "--headless=shell", "--disable-gpu"],
});
try {
  await checkReference(browser);
  await checkWebhooks(browser);
  await checkBarriers(browser);
  await takeScreenshots(browser);
  await unsubscribe(browser);
  await checkEvalReport(browser, folder);
  await checkHostileHtml(browser, folder);
} finally {
  await browser.close();
  server.close();
}

/** Opens a page; `close` also looks at what it asked for and what it left on the console. */
async function open(browser: Browser, path: string) {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
  const close = async () => {
    assert.deepEqual(complaints, [], "the console is not silent");
    assert.deepEqual(
      requests.filter((url) => !url.startsWith(origin) && !url.startsWith("data:")),
      [],
      "requests that leave the server",
    );
    await page.close();
  };
  return { page, close };
}

async function checkWebhooks(browser: Browser): Promise<void> {
  const { page, close } = await open(browser, "/docs/webhooks");
  const programs = page.locator("#receive .tabs pre");
  assert.match(await programs.filter({ visible: true }).innerText(), /from "hono"/);
  await page.locator("#receive label", { hasText: "Express" }).click();
  assert.match(await programs.filter({ visible: true }).innerText(), /from "express"/);
  for (const name of Object.keys(events)) {
    await page.locator(`[id="event.${name}"] summary`).click();
    assert.ok(await page.locator(`[id="event.${name}"] pre`).isVisible(), `${name} shows no example`);
  }
  await close();
  console.log("✓ the page for receivers: programs to choose from, every event with its example");
}

async function checkReference(browser: Browser): Promise<void> {
  const { page, close } = await open(browser, "/reference");
  await page.setViewportSize({ width: 1280, height: 900 });
  // Where the text after each link begins, on its first line or a later one, from the end of the link on.
  const indents = await page.locator(".index li").evaluateAll((all) =>
    all.map((one) => {
      const text = document.createRange();
      text.setStartAfter(one.firstElementChild ?? one);
      text.setEndAfter(one.lastChild ?? one);
      const lefts = [...text.getClientRects()].filter(({ width }) => width > 0).map(({ left }) => left);
      return Math.min(...lefts) - (one.firstElementChild?.getBoundingClientRect().right ?? 0);
    }),
  );
  assert.ok(Math.min(...indents) >= 0, "what the index says of an operation runs on below its name");
  const ids = listOperations(contract).map(({ id }) => id);
  for (const anchor of [...ids, ...Object.keys(events).map((name) => `event.${name}`)]) {
    // Away first: between two anchors of one page nothing would be loaded.
    await page.goto("about:blank");
    await page.goto(`${origin}/reference#${anchor}`);
    const heading = page.locator(`article[id="${anchor}"] h2`);
    await heading.waitFor();
    assert.ok(await heading.isVisible(), `${anchor} has no visible heading`);
  }

  await page.fill("#filter", "labels put");
  assert.deepEqual(await page.locator("nav li:visible a").allInnerTexts(), ["PUTprompts.labels.put"]);
  await page.locator("nav li:visible a").click();
  await page.waitForURL("**/reference/prompts#prompts.labels.put");
  const snippet = page.locator('[id="prompts.get"] aside pre');
  await snippet.first().scrollIntoViewIfNeeded();
  const examples = await page.locator("nav fieldset").boundingBox();
  assert.ok((examples?.height ?? 100) < 30, "the kinds of examples do not stand on one line");
  await page.check("#as-curl");
  assert.match(await snippet.filter({ visible: true }).first().innerText(), /^curl /);
  await page.check("#as-cli");
  await page.locator("nav").getByRole("link", { name: "Search", exact: true }).click();
  const elsewhere = page.locator('[id="search.query"] aside pre');
  assert.match(await elsewhere.filter({ visible: true }).first().innerText(), /^promptreg api /);

  await close();
  console.log(`✓ ${ids.length} operations, each with its heading; no request elsewhere; a silent console`);
}

/** With everything open, in the light and in the dark. */
async function checkBarriers(browser: Browser): Promise<void> {
  const paths = [
    "/",
    "/reference",
    "/reference/prompts",
    "/reference/events",
    "/reference/schemas-a-l",
    "/reference/schemas-m-z",
    "/docs/webhooks",
  ];
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await browser.newPage({ colorScheme });
    for (const path of [...paths, "/unsubscribe", "/bad"]) {
      await page.goto(origin + path);
      await page.locator("details").evaluateAll((all) => {
        for (const one of all) one.setAttribute("open", "");
      });
      await findNoBarriers(page, `${path}, ${colorScheme}`);
    }
    await page.close();
  }
  console.log("✓ no barriers found in any page, in light and dark");
}

async function takeScreenshots(browser: Browser): Promise<void> {
  const views = {
    "/": [""],
    "/reference": [""],
    "/reference/prompts": ["", "prompts.labels.put"],
    "/reference/events": [""],
    "/reference/schemas-m-z": ["schema-Run"],
    "/docs/webhooks": ["", "receive", "answer", "once", "events", "trouble"],
  };
  const windows = [
    { name: "desktop", width: 1440, height: 1000, colorScheme: "light" },
    { name: "dark", width: 1440, height: 1000, colorScheme: "dark" },
    { name: "mobile", width: 390, height: 844, colorScheme: "light" },
  ] as const;
  for (const { name, width, height, colorScheme } of windows) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    for (const [path, anchors] of Object.entries(views)) {
      for (const anchor of anchors) {
        await page.goto("about:blank");
        await page.goto(`${origin}${path}#${anchor}`, { waitUntil: "networkidle" });
        const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert.ok(!isTooWide, `${path} is wider than a ${name} window at #${anchor}`);
        if (anchor !== "") assert.ok(await page.locator(`[id="${anchor}"] :is(h2, h3) >> nth=0`).isVisible());
        await page.screenshot({
          path: join(folder, `${name}${path.replaceAll("/", "-")}-${anchor || "start"}.png`),
        });
      }
    }
    await page.close();
  }
  console.log(`  screenshots: ${folder}`);
}

/** As a person does, in the light and in the dark. What the policy of the page forbade would stand on the console. */
async function unsubscribe(browser: Browser): Promise<void> {
  const views = [
    { name: "desktop", viewport: { width: 1000, height: 700 }, colorScheme: "light" },
    { name: "dark", viewport: { width: 1000, height: 700 }, colorScheme: "dark" },
    { name: "mobile", viewport: { width: 360, height: 640 }, colorScheme: "light" },
  ] as const;
  for (const { name, ...view } of views) {
    const page = await browser.newPage(view);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(`${origin}/unsubscribe`);
    await page.screenshot({ path: join(folder, `${name}-unsubscribe.png`) });
    await page.click("button");
    await page.getByRole("heading", { name: "Unsubscribed" }).waitFor();
    await page.screenshot({ path: join(folder, `${name}-unsubscribed.png`) });
    assert.deepEqual(complaints, [], "the console is not silent");
    await page.goto(`${origin}/bad`);
    await page.screenshot({ path: join(folder, `${name}-bad-link.png`) });
    await page.close();
  }
  console.log("✓ unsubscribing, by a button and without a script");
}
