import { testContract } from "../../../test/contract/suite.ts";

// The owner of what is staged is a moderator, who alone can do some of it.
testContract("comments", { role: "moderator" });
