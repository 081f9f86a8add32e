import { readyHub } from "../../support/hub-under-test.ts";
import { describeSharedAnswer } from "./shared-answer.ts";
import { describeFleetAgents } from "./suite.ts";

describeFleetAgents("the embedded hub", readyHub);
describeSharedAnswer("the embedded hub", readyHub);
