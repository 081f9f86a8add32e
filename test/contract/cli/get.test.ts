import { describeGet } from "./get-suite.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";

describeGet("the embedded hub", embeddedHub);
