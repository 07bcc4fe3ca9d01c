import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * Ends a test run with one plain line, `N passed, N failed`, over all packages. What breaks outside a test (a
 * file that does not load, a hook, an error nobody caught) counts as failed, and a run without a single test
 * fails.
 */
export default class TestCount implements Reporter {
  #passed = 0;
  // The run itself, until it has ended: a setup that throws ends it without a word to reporters.
  #failed = 1;

  onInit(): void {
    // Last of all, after what other reporters and the teardown print.
    process.once("exit", () => {
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
  }
}
