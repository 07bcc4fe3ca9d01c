import type { Handler } from "../../kernel/handler.ts";

export const compare: Handler<"evals.compare"> = () => {
  throw new Error("not written yet");
};
