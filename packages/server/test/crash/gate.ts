import type { Answer } from "./receivers.ts";

/** What the receiver does before which a worker is frozen. */
export class Gate {
  readonly slug = "gate";
  webhookId = "";
  /** What it answers while it is not closed. */
  answers: number = 200;
  #held: Promise<void> | null = null;
  #count = 0;

  /** Keeps requests waiting until the function it gives is called; from then on it answers 500. */
  close(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return () => {
      this.#held = null;
      this.answers = 500;
      resolve();
    };
  }

  /** To what waited it answers with 500 and 200 in turn. */
  async pass(): Promise<Answer> {
    if (this.#held === null) return this.answers;
    const isEven = ++this.#count % 2 === 0;
    await this.#held;
    return isEven ? 200 : 500;
  }
}
