import { readyHub } from "../../support/hub-under-test.ts";
import { describeByHand } from "./by-hand-suite.ts";
import { describeEnds } from "./ends-suite.ts";
import { describeHandDeletions } from "./hand-deletions-suite.ts";
import { describeMoves } from "./moves-suite.ts";
import { describeProtocolChanges } from "./protocols-suite.ts";

describeMoves("the embedded hub", readyHub);
describeHandDeletions("the embedded hub", readyHub);
describeProtocolChanges("the embedded hub", readyHub);
describeEnds("the embedded hub", readyHub);
describeByHand("the embedded hub", readyHub);
