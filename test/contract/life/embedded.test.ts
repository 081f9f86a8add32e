import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeByHand } from "./by-hand-suite.ts";
import { describeEnds } from "./ends-suite.ts";
import { describeHandDeletions } from "./hand-deletions-suite.ts";
import { describeMoves } from "./moves-suite.ts";
import { describeProtocolChanges } from "./protocols-suite.ts";

describeMoves("the embedded hub", embeddedHub);
describeHandDeletions("the embedded hub", embeddedHub);
describeProtocolChanges("the embedded hub", embeddedHub);
describeEnds("the embedded hub", embeddedHub);
describeByHand("the embedded hub", embeddedHub);
