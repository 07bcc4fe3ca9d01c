import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contract, listOperations } from "@promptreg/core";
import type { Reporter, SerializedError, TestModule, Vitest } from "vitest/node";
import { budget } from "./test-budget.ts";

/** Of so many files a run says how long they took. */
const slowest = 10;
/** The filter of `npm test` alone. */
const withoutLong = "!long";

/**
 * Ends a test run with what it used, the files that took the longest, and one plain line, `N passed, N failed`, over all
 * packages. What breaks outside a test (a file that does not load, a hook, an error nobody caught) counts as failed, as does
 * what is above its budget, and a run without a single test fails.
 */
export default class TestCount implements Reporter {
  #passed = 0;
  // The run itself, until it has ended: a setup that throws ends it without a word to reporters.
  #failed = 1;
  #times: { file: string; seconds: number }[] = [];

  onInit({ config }: Vitest): void {
    // Long tests, and long forms, may use more.
    const isJudged = config.tagsFilter?.includes(withoutLong) ?? false;
    const folder = mkdtempSync(join(tmpdir(), "promptreg-use-"));
    // For the workers, which are not there yet.
    process.env["PROMPTREG_TEST_USE"] = folder;
    // Last of all, after what other reporters and the teardown print.
    process.once("exit", () => {
      this.#tellTimes();
      this.#judgeUse(folder, isJudged);
      rmSync(folder, { recursive: true });
      if (this.#passed === 0 || this.#failed > 0) process.exitCode = 1;
      process.stdout.write(`\n${this.#passed} passed, ${this.#failed} failed\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    this.#passed = 0;
    this.#failed = unhandledErrors.length;
    for (const module of modules) {
      this.#passed += [...module.children.allTests("passed")].length;
      this.#failed += [...module.children.allTests("failed")].length;
      const suites = [module, ...module.children.allSuites()];
      this.#failed += suites.filter((suite) => suite.errors().length > 0).length;
    }
    this.#times = modules.map((module) => {
      const { duration, collectDuration } = module.diagnostic();
      const file = `${module.project.name} ${module.relativeModuleId}`;
      return { file, seconds: (duration + collectDuration) / 1000 };
    });
  }

  #tellTimes(): void {
    if (this.#times.length <= slowest) return;
    const longest = this.#times.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowest);
    const lines = longest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}\n`);
    process.stdout.write(`\n The files that took the longest:\n${lines.join("")}`);
  }

  #judgeUse(folder: string, isJudged: boolean): void {
    const operations = listOperations(contract).length;
    for (const [what, each] of Object.entries(budget)) {
      const used = statSync(join(folder, what), { throwIfNoEntry: false })?.size ?? 0;
      const most = Math.floor(each * operations);
      const isAbove = isJudged && used > most;
      if (isAbove) this.#failed += 1;
      process.stdout.write(` ${isAbove ? "×" : " "} ${used} ${what}, at most ${most}\n`);
    }
  }
}
