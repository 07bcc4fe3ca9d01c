// The page and the Markdown of `promptreg eval report`, opened as files.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { EvalDocument } from "../../packages/cli/src/evals/documents/document.ts";
import { htmlOf } from "../../packages/cli/src/evals/documents/html/page.ts";
import { markdownOf } from "../../packages/cli/src/evals/documents/markdown.ts";
import { documentOf, hostileCases, hostileTexts } from "../../packages/cli/src/evals/documents/testing.ts";
import { findNoBarriers } from "./barriers.ts";
import { sampleOf } from "./sample.ts";

const sample = sampleOf(200);
const alone: EvalDocument = {
  ...sample,
  comparison: null,
  cases: sample.cases.flatMap((one) => (one.now ? [{ ...one, change: null, before: null }] : [])),
};

export async function checkEvalReport(browser: Browser, folder: string): Promise<void> {
  const open = opener(browser, folder);
  await looks(open, folder);
  await sortsAndFilters(open);
  await worksByKeyboard(open);
  await worksWithoutScript(open);
  await isHarmless(open);
  await isQuickWhenLarge(open);
  checkMarkdown();
}

/** Opens a document as a file; `close` also looks at what it asked for and what it left on the console. */
const opener =
  (browser: Browser, folder: string) =>
  async (name: string, document: EvalDocument, options: BrowserContextOptions = {}) => {
    const file = join(folder, `eval-${name}.html`);
    writeFileSync(file, htmlOf(document));
    const page = await browser.newPage(options);
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => complaints.push(dialog.message()));
    page.on("request", (request) => requests.push(request.url()));
    const url = pathToFileURL(file).href;
    await page.goto(url);
    const close = async () => {
      assert.deepEqual(complaints, [], "the console is not silent");
      assert.deepEqual(
        [...new Set(requests)].filter((one) => one !== "data:,"),
        [url],
        "the page asks for more than itself",
      );
      await page.close();
    };
    return { page, close };
  };
type Open = ReturnType<typeof opener>;

async function looks(open: Open, folder: string): Promise<void> {
  const views = [
    { name: "desktop", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
    { name: "dark", viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
    { name: "mobile", viewport: { width: 360, height: 780 }, colorScheme: "light" },
    { name: "mobile-dark", viewport: { width: 360, height: 780 }, colorScheme: "dark" },
  ] as const;
  const documents = { report: sample, alone, hostile: documentOf(hostileCases()), empty: documentOf([]) };
  for (const { name, ...view } of views) {
    for (const [what, document] of Object.entries(documents)) {
      const { page, close } = await open(what, document, view);
      await page.locator("details").evaluateAll((all) => {
        for (const one of all.slice(0, 20)) one.setAttribute("open", "");
      });
      const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.ok(!isTooWide, `${what} is wider than a ${name} window`);
      await findNoBarriers(page, `${what}, ${name}`);
      if (what !== "empty") {
        await page.locator("figure details").evaluateAll((all) => {
          for (const one of all) one.removeAttribute("open");
        });
        await page.screenshot({ path: join(folder, `${name}-eval-${what}.png`), fullPage: true });
      }
      await close();
    }
  }
  const { page, close } = await open("report", sample, { viewport: { width: 794, height: 1123 } });
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.locator(".controls").isVisible()), "paper has buttons");
  await page.screenshot({ path: join(folder, "paper-eval-report.png") });
  await close();
  console.log(
    "✓ the eval report: readable at every width, in light and dark and on paper; no barriers found",
  );
}

const keysOf = (page: Page) => page.locator(".cases tbody:visible th[scope=row]").allInnerTexts();

async function sortsAndFilters(open: Open): Promise<void> {
  const { page, close } = await open("report", sample);
  const { summary } = sample.comparison ?? assert.fail();
  const all = await keysOf(page);
  assert.equal(all.length, 200);
  assert.equal(all[0], sample.cases[0]?.caseKey);

  await page.getByRole("button", { name: "Broken" }).click();
  assert.equal((await keysOf(page)).length, summary.broken);
  assert.equal(await page.getByRole("status").innerText(), `${summary.broken} of 200 cases`);
  assert.ok(
    (await page.locator(".cases tbody:visible tr:first-child td:nth-child(2)").allInnerTexts()).every(
      (text) => text === "Broken",
    ),
  );
  await page.getByRole("searchbox").fill("INVOICE pay back");
  const found = await keysOf(page);
  assert.ok(
    found.length > 0 && found.length < summary.broken && found.every((key) => key.startsWith("invoice-")),
  );
  await page.getByRole("searchbox").fill("nothing says this");
  assert.equal(await page.getByRole("status").innerText(), "0 of 200 cases");
  await page.getByRole("searchbox").fill("");
  await page.getByRole("button", { name: "All" }).click();
  assert.equal(await page.getByRole("status").innerText(), "");

  const heading = (name: string) => page.locator(".cases").getByRole("columnheader", { name });
  await heading("Case").getByRole("button").click();
  assert.equal(await heading("Case").getAttribute("aria-sort"), "ascending");
  assert.equal(await heading("Change").getAttribute("aria-sort"), null);
  assert.deepEqual(await keysOf(page), all.toSorted());
  await heading("Case").getByRole("button").click();
  assert.deepEqual(await keysOf(page), all.toSorted().toReversed());
  await heading("Now").getByRole("button").click();
  const ranks = await page
    .locator(".cases tbody")
    .evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.now)));
  assert.deepEqual(
    ranks,
    ranks.toSorted((a, b) => a - b),
  );
  await heading("Change").getByRole("button").click();
  assert.deepEqual((await keysOf(page)).slice(0, summary.broken), all.slice(0, summary.broken));
  await close();
  console.log("✓ the eval report: cases sorted by each column, filtered by what became of them and by text");
}

async function worksByKeyboard(open: Open): Promise<void> {
  const { page, close } = await open("report", sample);
  await page.keyboard.press("/");
  await page.keyboard.type("gift");
  assert.ok((await keysOf(page)).every((key) => key.startsWith("gift-")));
  // The four headings, then the first case.
  for (let count = 0; count < 5; count++) await page.keyboard.press("Tab");
  const row = page.locator(".cases tbody:visible").first();
  const isOpen = () => row.locator(".more").isVisible();
  const was = await isOpen();
  await page.keyboard.press("Enter");
  assert.equal(await isOpen(), !was);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  assert.equal(
    await page.locator(".cases").getByRole("columnheader", { name: "Now" }).getAttribute("aria-sort"),
    "ascending",
  );
  await close();
  console.log("✓ the eval report: all of it by keyboard");
}

async function worksWithoutScript(open: Open): Promise<void> {
  const { page, close } = await open("report", sample, { javaScriptEnabled: false });
  const second = page.locator(".cases tbody").nth(1);
  assert.ok(!(await second.locator(".more").isVisible()));
  await second.locator("summary").click();
  assert.ok(await second.locator(".more").isVisible());
  assert.ok((await second.locator("ins").allInnerTexts()).some((text) => text.includes("pay back $240")));
  assert.ok(!(await page.locator(".controls").isVisible()), "buttons that do nothing");
  await close();
  console.log("✓ the eval report: read without its script");
}

async function isHarmless(open: Open): Promise<void> {
  const { page, close } = await open("hostile", documentOf(hostileCases()));
  const title = await page.title();
  for (const summary of await page.locator(".cases summary").all()) {
    if (!(await summary.evaluate((one) => one.parentElement?.hasAttribute("open")))) await summary.click();
    await summary.hover();
  }
  await page.getByRole("searchbox").fill("<script>");
  assert.equal((await keysOf(page)).length, 2);
  assert.equal(await page.title(), title);
  assert.equal(await page.locator("main :is(img, script, a, h1, iframe, form)").count(), 0);
  const shown = await page.locator(".cases pre").allTextContents();
  const commands = /(?!\n)[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;
  for (const text of hostileTexts.filter((text) => !commands.test(text)))
    assert.ok(shown.includes(`${text} now`), `not shown as it is: ${text}`);
  await close();
  await isKeptIn(open);
  console.log("✓ the eval report: what models wrote is text, and runs nothing");
}

/** What got into the page in spite of all would run nothing, and load nothing. */
async function isKeptIn(open: Open): Promise<void> {
  const { page } = await open("hostile", documentOf(hostileCases()));
  const ends: (string | undefined)[] = [];
  page.on("requestfailed", (request) => ends.push(request.failure()?.errorText));
  page.on("response", (response) => ends.push(response.url()));
  const title = await page.evaluate(() => {
    document.body.insertAdjacentHTML(
      "beforeend",
      `<img src="https://evil.example/x" onerror="document.title='owned'">`,
    );
    const script = document.createElement("script");
    script.textContent = "document.title = 'owned'";
    document.body.append(script);
    return new Promise<string>((resolve) => setTimeout(() => resolve(document.title), 300));
  });
  assert.notEqual(title, "owned");
  assert.deepEqual(ends, ["csp"]);
  await page.close();
}

async function isQuickWhenLarge(open: Open): Promise<void> {
  const startedMs = performance.now();
  const { page, close } = await open("large", sampleOf(10_000));
  const openedMs = performance.now();
  await page.getByRole("button", { name: "Broken" }).click();
  await page.getByRole("searchbox").fill("gift pay back");
  await page.getByRole("columnheader", { name: "Case" }).getByRole("button").click();
  const found = (await keysOf(page)).length;
  assert.ok(found > 50 && found < 300, String(found));
  console.log(
    `✓ the eval report with 10,000 cases: written and opened in ${Math.round(openedMs - startedMs)} ms, filtered and sorted in ${Math.round(performance.now() - openedMs)} ms`,
  );
  await close();
}

/** As a renderer of GitHub's Markdown reads it. */
function checkMarkdown(): void {
  const html = micromark(markdownOf(documentOf(hostileCases())), {
    allowDangerousHtml: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const ours = html.replace(/<code>[^<]*<\/code>/g, "").replace(/^<!--[^>]*-->/, "");
  const tags = [...new Set([...ours.matchAll(/<\/?(\w+)/g)].map(([, name]) => name))].toSorted((a, b) =>
    a! < b! ? -1 : 1,
  );
  assert.deepEqual(tags, [
    "details",
    "h3",
    "li",
    "p",
    "strong",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
  ]);
  assert.doesNotMatch(ours, /[@#]|evil|owned|GH-|3f2c9e1b/);
  assert.deepEqual(
    [...html.matchAll(/<tr>(.*?)<\/tr>/gs)]
      .map(([, row]) => row?.match(/<t[dh]/g)?.length)
      .filter((cells) => cells !== 4),
    [],
  );
  console.log("✓ the Markdown of an eval report: what models wrote is code, and no link, mention or markup");
}
