import { testContract } from "../../../test/contract/suite.ts";

testContract("models");
