import { describeCheck } from "./check-suite.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";

describeCheck("the embedded hub", embeddedHub);
