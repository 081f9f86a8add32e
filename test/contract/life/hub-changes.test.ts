import { readyHub } from "../../support/hub-under-test.ts";
import { describeHubChanges } from "./hub-changes-suite.ts";
import { describeHubEdits } from "./hub-edits-suite.ts";
import { describeHubKinds } from "./hub-kinds-suite.ts";

describeHubChanges("the embedded hub", readyHub);
describeHubEdits("the embedded hub", readyHub);
describeHubKinds("the embedded hub", readyHub);
