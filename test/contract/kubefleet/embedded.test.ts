import { readyHub } from "../../support/hub-under-test.ts";
import { describeKubefleetAgents } from "./suite.ts";

describeKubefleetAgents("the embedded hub", readyHub);
