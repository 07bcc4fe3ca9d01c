import { type DescribeEach, inLine } from "../../language/notification.ts";
import type { evalEvents } from "./events.ts";

const endings = { pass: "passed its evals", fail: "failed its evals" };

export const evalNotifications: DescribeEach<typeof evalEvents, "run"> = {
  "eval.run.completed": ({ prompt, run: { id, versionNumber, model, verdict, summary, url } }) => ({
    title: `${prompt.ref} version ${versionNumber} ${verdict === null ? "has no verdict of its evals" : endings[verdict]}`,
    body: `${summary.passed} of ${summary.total} passed with ${inLine(model)}.`,
    url,
    target: { type: "run", id },
  }),
  "eval.run.failed": ({ prompt, run: { id, versionNumber, model, error, url } }) => ({
    title: `Evals of ${prompt.ref} version ${versionNumber} broke off`,
    body: `With ${inLine(model)}${error.message === "" ? "." : `: ${inLine(error.message)}`}`,
    url,
    target: { type: "run", id },
  }),
};
