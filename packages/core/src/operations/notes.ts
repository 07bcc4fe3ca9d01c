/** The documentation of an operation and its parameters. */
export interface OperationNotes {
  /** The first sentence. */
  summary: string;
  /** The sentences after it. */
  description?: string;
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
}

/** The documentation of a named schema and its fields. */
export interface SchemaNotes {
  description?: string;
  fields?: Readonly<Record<string, string>>;
}
