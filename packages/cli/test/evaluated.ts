import type { Client, Dataset, Run } from "@promptreg/client";

interface Reported {
  /** How many of the cases pass. */
  passed: number;
  /** How many do not count: they errored, or were skipped. */
  errored?: number;
  skipped?: number;
  /** Of how many cases there are results. Default: 20. */
  cases?: number;
  /** What the tool says, whatever the results are. */
  verdict?: "pass" | "fail";
  threshold?: number;
  model?: string;
  dataset?: string;
  isCompleted?: boolean;
}

/** What tests of evals do with a registry, as ada. */
export function evaluating(client: Client) {
  const dataset = (slug: string, name: string): Promise<Dataset> =>
    client.evals.datasets.create({ body: { prompt: `ada/${slug}`, name } });

  const addCase = ({ id }: Dataset, key: string) =>
    client.evals.datasets.cases.create({ id, body: { cases: [{ key, variables: {} }] } });

  /** Reports a run in which the first cases pass; each says so in its output. */
  async function report(
    slug: string,
    versionNumber: number,
    {
      passed,
      errored = 0,
      skipped = 0,
      cases = 20,
      verdict,
      model = "m",
      isCompleted = true,
      ...rest
    }: Reported,
  ): Promise<Run> {
    const { id } = await client.evals.runs.create({
      body: { prompt: `ada/${slug}`, versionNumber, model, threshold: 0.5, ...rest },
    });
    const results = Array.from(
      { length: cases },
      (_, index) =>
        ({
          index,
          caseKey: `case-${String(index).padStart(2, "0")}`,
          status:
            index < passed
              ? "passed"
              : index < passed + errored
                ? "errored"
                : index < passed + errored + skipped
                  ? "skipped"
                  : "failed",
          output: index < passed ? "Thank you for your order." : "Thank you for nothing.",
          ...(index >= passed && { error: "is not kind" }),
        }) as const,
    );
    if (cases > 0) await client.evals.runs.appendResults({ id, body: { results } });
    if (!isCompleted) return client.evals.runs.get({ id });
    return client.evals.runs.update({ id, body: { status: "completed", ...(verdict && { verdict }) } });
  }

  return { dataset, addCase, report };
}
