import { testContract } from "../../../test/contract/suite.ts";

// The owner of what is staged is a moderator, who alone can decide on reports.
testContract("reports", { role: "moderator" });
