import { testContract } from "../../../test/contract/suite.ts";

testContract("analytics");
