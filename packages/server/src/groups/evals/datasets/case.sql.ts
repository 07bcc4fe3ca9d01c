import { type Part, type Piece, piece } from "../../../database/columns.ts";

/**
 * The case of a dataset with a key, as a table: the first from that key on, since only the index of keys has that order. Compared
 * by `=`, any index that begins with the dataset would do for a planner that expects few cases of it, and read all for each key. So
 * would it for one that knows the dataset, and that it is newer than its statistics: the inner `select` hides the value.
 */
export const caseOf = <Given>(datasetId: Part<Given>, key: string): Piece<Given> => piece<Given>`(
  select first.* from (
    select * from eval_cases where (dataset_id, key) >= ((select ${datasetId}::text), ${key}) order by dataset_id, key limit 1
  ) first where first.dataset_id = ${datasetId} and first.key = ${key})`;
