import assert from "node:assert/strict";
import axe from "axe-core";
import type { Page } from "playwright-core";

/** Looks for what keeps people out who use a keyboard, a screen reader or other colours. */
export async function findNoBarriers(page: Page, where: string): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} (${nodes.length})`);
  assert.deepEqual(found, [], where);
}
