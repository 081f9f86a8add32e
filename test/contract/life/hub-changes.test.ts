import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeHubChanges } from "./hub-changes-suite.ts";

describeHubChanges("the embedded hub", embeddedHub);
