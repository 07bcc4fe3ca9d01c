import type { Handler } from "../../kernel/handler.ts";

export const scores: Handler<"evals.scores"> = () => {
  throw new Error("not written yet");
};
