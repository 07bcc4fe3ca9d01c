// The HTML of what people write, in a browser that would run it. A real server renders hostile texts wherever it gives `html`. What it
// gives is put into pages in every way that there is, all but one without a policy. Nothing may run or be loaded, and every link is
// clicked. HTML that nobody cleaned shows that all of this would be noticed.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { respond } from "../../packages/server/src/kernel/operations/respond.ts";
import { strayParts } from "../../packages/server/test/html.ts";
import { png } from "../../packages/server/test/media.ts";
import { cleanUp } from "../../packages/server/test/process.ts";
import { type Shown, writeHostile } from "./hostile-written.ts";

/** Where the pages are. There is no server: what they ask for beside themselves is seen, and gets no answer. */
const pageUrl = "http://pages.example/";
const pageOf = (html: string) => `<!doctype html><meta charset=utf-8><title>Page</title><main>${html}</main>`;

/** Puts HTML into a page, and then as often what the page says. */
const put = (page: Page, html: string, times: number) =>
  page.evaluate(
    ([text, again]) => {
      const main = document.querySelector("main") as HTMLElement;
      main.innerHTML = text;
      for (let nth = 0; nth < again; nth++) {
        const { innerHTML: said } = main;
        main.innerHTML = said;
      }
    },
    [html, times] as const,
  );

/** The headers of the pages that the server makes for people. */
const ours = Object.fromEntries(
  respond(
    { status: 200, html: "" },
    { id: "proof", accept: "", isRead: true, isAnonymous: true, held: [], meter: null, admit: () => {} },
  ).headers,
);

interface Way {
  headers?: Record<string, string>;
  /** Into a page that has nothing; otherwise the page comes with it. */
  put?(page: Page, html: string): Promise<void>;
}
/** How HTML comes into a page. */
const ways = {
  "as a page": {},
  "as a page with our policy": { headers: ours },
  "by document.write": {
    put: (page, html) => page.evaluate((text) => document.write(text), pageOf(html)),
  },
  "by innerHTML": { put: (page, html) => put(page, html, 0) },
  "by innerHTML, thrice": { put: (page, html) => put(page, html, 2) },
} satisfies Record<string, Way>;
const names = Object.keys(ways) as (keyof typeof ways)[];

/** Runs before all that a page has. */
function watch(): void {
  const ran: string[] = [];
  const call = (name: string) => () => {
    ran.push(name);
  };
  Object.assign(globalThis, { ran, alert: call("alert"), confirm: call("confirm"), prompt: call("prompt") });
}

/** What the properties of a document are, with those that it inherits: an element with a name can take the place of one. */
function describe(): string[] {
  const names: string[] = [];
  for (const name in document)
    names.push(`document.${name} is ${Object.prototype.toString.call(Reflect.get(document, name))}`);
  return names;
}

/** A page, and all that is noticed there which nobody's text may do. */
async function openPage(browser: Browser, { headers = {} }: Way, html: string, mediaUrl: string) {
  const context = await browser.newContext();
  await context.addInitScript(watch);
  const noticed: string[] = [];
  const loaded: string[] = [];
  await context.route("**/*", (route) => {
    const request = route.request();
    const url = request.url();
    const isNavigation = request.isNavigationRequest();
    if (url === pageUrl && isNavigation)
      return route.fulfill({ contentType: "text/html", headers, body: pageOf(html) });
    if (url.startsWith(`${mediaUrl}/media/`)) {
      loaded.push(url);
      return route.fulfill({ contentType: "image/png", body: Buffer.from(png()) });
    }
    noticed.push(`asks for ${url}`);
    // The page stays.
    return isNavigation ? route.fulfill({ status: 204 }) : route.abort();
  });
  const page = await context.newPage();
  page.on("console", (message) => noticed.push(`says ${message.text()}`));
  page.on("pageerror", (error) => noticed.push(`fails with ${error.message}`));
  page.on("dialog", (dialog) => noticed.push(`shows ${dialog.message()}`));
  context.on("page", () => noticed.push("opens a window"));
  await page.goto(pageUrl);
  return { page, noticed, loaded, close: () => context.close() };
}

/** Shows HTML in a page, clicks its links, and gives what was noticed, where links led, and which media were loaded. */
async function look(
  browser: Browser,
  name: keyof typeof ways,
  shown: Pick<Shown, "kind" | "html">[],
  mediaUrl: string,
) {
  const way: Way = ways[name];
  const html = shown.map((one) => `<section>${one.html}</section>`).join("\n");
  const empty = await openPage(browser, way, "", mediaUrl);
  const usual = new Set(await empty.page.evaluate(describe));
  await empty.close();
  const { page, noticed, loaded, close } = await openPage(browser, way, way.put ? "" : html, mediaUrl);
  await way.put?.(page, html);
  // What begins by itself begins now.
  await delay(500);
  noticed.push(...(await page.evaluate(describe)).filter((one) => !usual.has(one)));
  const sections = await page.locator("main > section").evaluateAll((all) =>
    all.map((section) => ({
      html: section.innerHTML,
      isMoved: [...section.querySelectorAll("*")].some((one) => {
        const { position, display, zIndex } = getComputedStyle(one);
        return position !== "static" || display === "none" || zIndex !== "auto";
      }),
    })),
  );
  const around = await page.locator("body > *, main > :not(section)").count();
  if (around > 1 || sections.length !== shown.length) noticed.push("leaves its place");
  for (const [nth, section] of sections.entries()) {
    const parts = section.html.replaceAll(`${mediaUrl}/media/`, "media:");
    noticed.push(...strayParts(parts, shown[nth]?.kind).map((part) => `has ${part}`));
    if (section.isMoved) noticed.push("has something that stands elsewhere");
  }
  const { visited, count } = await page.evaluate(async () => {
    const visited: string[] = [];
    // The page stays, so that the next one can be clicked at once.
    navigation.addEventListener("navigate", (event) => {
      visited.push(event.destination.url);
      event.preventDefault();
    });
    const links = new Map([...document.querySelectorAll("a")].map((link) => [link.href, link]));
    for (const link of links.values()) {
      link.click();
      await new Promise((resolve) => setTimeout(resolve));
    }
    return { visited, count: links.size };
  });
  if (visited.length < count) noticed.push(`has ${count - visited.length} links that lead to no page`);
  noticed.push(...(await page.evaluate<string[]>("globalThis.ran ?? []")).map((what) => `runs ${what}`));
  await close();
  return { noticed, loaded, visited };
}

/** What nobody cleaned, how it comes into a page, and what is noticed of it. */
const uncleaned: [html: string, name: keyof typeof ways, noticed: RegExp][] = [
  ["<script>alert(1)</script>", "as a page", /^runs alert$/],
  ["<script>alert(1)</script>", "by document.write", /^runs alert$/],
  ["<img src=x onerror=alert(1)>", "by innerHTML", /^runs alert$/],
  ["<img src=x onerror=alert(1)>", "as a page with our policy", /^says .*Content Security Policy/],
  [
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "by innerHTML, thrice",
    /^runs alert$/,
  ],
  ['<a href="javascript:alert(1)">a</a>', "by innerHTML", /^runs alert$/],
  ["<img src=//a.example/x>", "by innerHTML", /^asks for http:\/\/a\.example\/x$/],
  ["<style>@import '//a.example/x'</style>", "as a page", /^asks for http:\/\/a\.example\/x$/],
  ["<meta http-equiv=refresh content=0;url=//a.example>", "as a page", /^asks for http:\/\/a\.example\/$/],
  ["<img name=getElementById>", "by innerHTML", /^document\.getElementById is/],
  ["<form name=body></form>", "by innerHTML", /^document\.body is \[object HTMLFormElement\]$/],
  ["<p style=position:fixed>a</p>", "by innerHTML", /^has something that stands elsewhere$/],
  ["</section></main><p>a</p>", "as a page", /^leaves its place$/],
  ["<p><b onclick=a>a</b></p>", "by innerHTML", /^has b onclick=a$/],
];

async function noticesAll(browser: Browser): Promise<void> {
  for (const [html, name, pattern] of uncleaned) {
    const { noticed } = await look(browser, name, [{ kind: "note", html }], pageUrl);
    assert.ok(
      noticed.some((one) => pattern.test(one)),
      `${html} ${name}: ${noticed.join("; ")}`,
    );
  }
  const harmless = '<p><a href="https://a.example/x" rel="nofollow ugc noopener">a</a></p>';
  for (const name of names) {
    const { noticed, visited } = await look(browser, name, [{ kind: "note", html: harmless }], pageUrl);
    assert.deepEqual([noticed, visited], [[], ["https://a.example/x"]], name);
  }
  console.log(
    `✓ ${uncleaned.length} pieces of HTML that nobody cleaned are noticed, and nothing in a harmless one`,
  );
}

/** Opens what the server itself gives. What is offered to be saved does not open. */
async function openAddresses(browser: Browser, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const context = await browser.newContext();
    await context.addInitScript(watch);
    const page = await context.newPage();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const response = await page.goto(address).catch((error: Error) => {
      if (!error.message.includes("Download is starting")) throw error;
      return null;
    });
    assert.ok(response === null || response.ok(), address);
    await delay(100);
    const ran = await page.evaluate("globalThis.ran");
    assert.deepEqual([ran, requests], [[], [address]], address);
    await context.close();
  }
}

export async function checkHostileHtml(browser: Browser, folder: string): Promise<void> {
  await noticesAll(browser);
  try {
    const { shown, addresses, mediaUrl, pictureUrl } = await writeHostile(folder);
    for (const name of names) {
      // Our own pages have no pictures.
      const fitting =
        name === "as a page with our policy" ? shown.filter(({ html }) => !html.includes("<img")) : shown;
      const { noticed, visited, loaded } = await look(browser, name, fitting, mediaUrl);
      assert.deepEqual([...new Set(noticed)], [], name);
      assert.deepEqual(loaded.includes(pictureUrl), fitting === shown, "whether a picture of ours is shown");
      assert.deepEqual(
        visited.filter((url) => !/^(https?:|mailto:|about:blank#blocked$)/.test(url)),
        [],
      );
      console.log(
        `✓ ${fitting.length} hostile texts ${name}: nothing runs, and ${visited.length} links lead to the web`,
      );
    }
    await openAddresses(browser, addresses);
    console.log(`✓ ${addresses.length} addresses of the server that give what people wrote: nothing runs`);
  } finally {
    await cleanUp();
  }
}
