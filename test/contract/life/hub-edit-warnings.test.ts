import { readyHub } from "../../support/hub-under-test.ts";
import { describeHubEditWarnings } from "./hub-edit-warnings-suite.ts";

describeHubEditWarnings("the embedded hub", readyHub);
