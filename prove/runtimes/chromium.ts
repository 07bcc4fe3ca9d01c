import { createServer } from "node:http";
import { join } from "node:path";
import Chromium from "@sparticuz/chromium";
import { build } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import type { Result, World } from "./inside/check.ts";
import { listen } from "./listen.ts";

// Without a sandbox, as root has none; with web security, which the arguments that come along switch off.
const launch = async () =>
  chromium.launch({
    executablePath: await Chromium.executablePath(),
    args: ["--no-sandbox", "--headless=shell", "--disable-gpu"],
  });

async function withBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await launch();
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

export const chromiumVersion = (): Promise<string> => withBrowser(async (browser) => browser.version());

/** In a page of another origin than the registry's, which has to allow it. */
export async function checkInChromium(world: World, folder: string): Promise<Result[]> {
  const { outputFiles } = await build({ entryPoints: [join(folder, "page.ts")], bundle: true, write: false });
  const page = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? outputFiles[0]?.contents : '<!doctype html><script src="/page.js"></script>');
  });
  const { url, close } = await listen(page);
  try {
    return await withBrowser(async (browser) => {
      const page = await browser.newPage();
      await page.goto(url);
      return page.evaluate(
        (given) => (globalThis as unknown as { checkAll(world: World): Promise<Result[]> }).checkAll(given),
        world,
      );
    });
  } finally {
    close();
  }
}
