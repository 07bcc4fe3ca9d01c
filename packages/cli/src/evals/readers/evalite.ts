import { jsonReader, refuse } from "./reader.ts";
import { judged } from "./scores.ts";
import { has } from "./shape.ts";
import {
  caseKeyOf,
  countOf,
  fieldsOf,
  fit,
  inputKeyOf,
  isFields,
  listOf,
  shownOf,
  textOf,
} from "./values.ts";

/** Results as `evalite --outputPath results.json` writes them. Evalite gives scores; the file holds no threshold. */
export const evalite = jsonReader({
  name: "evalite JSON",
  tool: "evalite",
  recognises: (shape) => has(shape, "$.run", "$.evals"),
  // The name stands before the results.
  wanted: ["$.evals[].name", "$.evals[].results[]"],
  begin: ({ passScore }) => {
    let name: string | undefined;
    return {
      *take({ path, value, line }) {
        if (path === "$.evals[].name") name = textOf(value);
        else if (!isFields(value)) throw refuse(line, "this is not a result of evalite.");
        else {
          const { input, output, status, scores, duration } = value;
          const broke = status === "fail";
          const verdict = judged(
            listOf(scores).map((one) => {
              const { name: scorer, score, metadata } = fieldsOf(one);
              return {
                name: textOf(scorer) ?? "score",
                score: typeof score === "number" ? score : undefined,
                reason: fieldsOf(metadata).rationale,
              };
            }),
            passScore,
          );
          const error = broke ? (textOf(fieldsOf(output).message) ?? "the task failed") : undefined;
          yield {
            place: `line ${line}`,
            result: fit({
              caseKey: caseKeyOf(name, inputKeyOf(input)) || "case",
              ...verdict,
              ...(broke && { status: "errored", score: undefined }),
              output: broke ? undefined : shownOf(output),
              error,
              latencyMs: countOf(duration),
            }),
          };
        }
      },
    };
  },
});
