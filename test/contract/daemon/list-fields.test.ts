import { readyHub } from "../../support/hub-under-test.ts";
import { describeListFields } from "./list-fields-suite.ts";

describeListFields("the embedded hub", readyHub);
