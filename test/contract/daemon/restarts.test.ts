import { readyHub } from "../../support/hub-under-test.ts";
import { describeRestarts } from "./restarts-suite.ts";

describeRestarts("the embedded hub", readyHub);
