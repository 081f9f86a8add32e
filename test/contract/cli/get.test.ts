import { describeGet } from "./get-suite.ts";
import { readyHub } from "../../support/hub-under-test.ts";

describeGet("the embedded hub", readyHub);
