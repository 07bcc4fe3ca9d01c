import type {
  CaseComparison,
  ComparedAttempts,
  Result,
  ResultInput,
  Run,
  RunComparison,
  VersionScore,
} from "@promptreg/core";

/** What a report of a run is made of. The page and the Markdown show the same document. */
export interface EvalDocument {
  run: Run;
  /** Null if the run is compared with no other. */
  comparison: DocumentComparison | null;
  /** Why it is compared with no other, though that was asked for. */
  uncompared: string | null;
  /** The worst first. */
  cases: DocumentCase[];
  /** How many cases (without a comparison: results) were not read, because they are too much for a document. */
  unread: number;
  /** Whether the caller may read the results. Otherwise there are no cases. */
  areCasesVisible: boolean;
  /** How versions did with the same model and dataset, by version. */
  scores: VersionScore[];
}

/** The first page of a comparison, without its cases. */
export interface DocumentComparison {
  /** The run before. */
  before: Run;
  summary: NonNullable<RunComparison["summary"]>;
  verdict: NonNullable<RunComparison["verdict"]>;
}

/** A case of one run, or of two. */
export interface DocumentCase {
  caseKey: string;
  /** Null without a comparison. */
  change: CaseComparison["change"] | null;
  before: DocumentSide | null;
  now: DocumentSide | null;
}

/** A case of one run, over its attempts. */
export interface DocumentSide extends ComparedAttempts {
  /** How many characters of the output are left out. */
  cut: number;
}

/** Why a result is bad, in the words of its tool and without the places in its code; undefined if it does not say. */
export function reasonOf({ error, assertions = [] }: Result | ResultInput): string | undefined {
  const missed = assertions.find(({ passed }) => !passed);
  const reason = missed && [missed.type, messageOf(missed.reason)].filter(Boolean).join(": ");
  return messageOf(error) || reason || undefined;
}

/** The frames of a stack, as JavaScript, the JVM, Vitest and Python print them; the last with its line of code. */
const frames =
  /^[ \t]+(?:at .*(?::\d+\)?|\(<anonymous>\))|❯ .*:\d+|File ".*", line \d.*(?:\n {4}.*)*)(?:\n|$)|^[ \t]*Traceback \(most recent call last\):(?:\n|$)/gm;

const messageOf = (text: string | null | undefined): string => (text ?? "").replace(frames, "").trim();
