import type { PendingQuery, Row, Sql as PostgresSql, TransactionSql } from "postgres";

/** The pool, or the transaction that is open: whatever a statement runs on. */
export type Sql = PostgresSql | TransactionSql;
/** A piece of a statement, or one that has not been awaited. */
export type Fragment = PendingQuery<Row[]>;
