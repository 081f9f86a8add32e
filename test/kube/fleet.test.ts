import { describeFleetAgents } from "../contract/fleet/suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeFleetAgents("a real kube-apiserver", realHub);
