import { describeByHand } from "../contract/life/by-hand-suite.ts";
import { describeHubEditWarnings } from "../contract/life/hub-edit-warnings-suite.ts";
import { describeEnds } from "../contract/life/ends-suite.ts";
import { describeHandDeletions } from "../contract/life/hand-deletions-suite.ts";
import { describeMoves } from "../contract/life/moves-suite.ts";
import { describeProtocolChanges } from "../contract/life/protocols-suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeMoves("a real kube-apiserver", realHub);
describeHandDeletions("a real kube-apiserver", realHub);
describeProtocolChanges("a real kube-apiserver", realHub);
describeEnds("a real kube-apiserver", realHub);
describeByHand("a real kube-apiserver", realHub);
describeHubEditWarnings("a real kube-apiserver", realHub);
