import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeLostObjects } from "./lost-objects-suite.ts";

describeLostObjects("the embedded hub", embeddedHub);
