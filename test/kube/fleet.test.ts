import { describeSharedAnswer } from "../contract/fleet/shared-answer.ts";
import { describeFleetAgents } from "../contract/fleet/suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeFleetAgents("a real kube-apiserver", realHub);
describeSharedAnswer("a real kube-apiserver", realHub);
