import { readyHub } from "../../support/hub-under-test.ts";
import { describeDaemon } from "./suite.ts";

describeDaemon("the embedded hub", readyHub);
