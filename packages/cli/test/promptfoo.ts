import { once } from "node:events";
import { createWriteStream } from "node:fs";

/** Writes a file as promptfoo does, with outputs of some kilobytes. One result of twenty failed. */
export async function writePromptfoo(path: string, count: number): Promise<void> {
  const file = createWriteStream(path);
  const words =
    "The parcel is on its way and will be with you soon, we are sorry that it took longer than said. ";
  const put = async (text: string) => {
    if (!file.write(text)) await once(file, "drain");
  };
  await put('{"evalId":"eval-1","results":{"version":3,"timestamp":"2026-11-23T00:00:00.000Z","results":[');
  for (let index = 0; index < count; index += 1) {
    const isGood = index % 20 !== 0;
    const check = { type: "contains", value: "sorry" };
    const part = {
      pass: isGood,
      score: Number(isGood),
      reason: isGood ? "Assertion passed" : "No apology",
      assertion: check,
    };
    const result = {
      id: `result-${index}`,
      provider: { id: "fake", label: "" },
      prompt: { raw: `Answer: question ${index}`, label: "Answer: {{question}}" },
      promptIdx: 0,
      testIdx: index,
      vars: { question: `question ${index}` },
      response: {
        output: `${index}: ${words.repeat(30 + (index % 20))}`,
        tokenUsage: { total: 30, prompt: 20, completion: 10 },
      },
      success: isGood,
      score: Number(isGood),
      failureReason: isGood ? 0 : 1,
      latencyMs: index % 900,
      cost: 0.0001,
      gradingResult: { pass: isGood, score: Number(isGood), reason: part.reason, componentResults: [part] },
    };
    await put(`${index === 0 ? "" : ","}${JSON.stringify(result)}`);
  }
  await put(']},"config":{}}');
  file.end();
  await once(file, "close");
}
