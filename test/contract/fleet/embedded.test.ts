import { readyHub } from "../../support/hub-under-test.ts";
import { describeFleetAgents } from "./suite.ts";

describeFleetAgents("the embedded hub", readyHub);
