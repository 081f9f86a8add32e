import { describeExternalAgent } from "../contract/clusternet/external-agent.ts";
import { describeRealAgent } from "../contract/clusternet/real-agent.ts";
import { describeRealAgentWays } from "../contract/clusternet/real-agent-ways.ts";
import { describeTakenOverAgent } from "../contract/clusternet/taken-over-agent.ts";
import { embeddedHub, realHub } from "../support/hub-under-test.ts";

const real = { name: "a real kube-apiserver", start: realHub };
const embedded = { name: "an embedded cluster", start: embeddedHub };

describeRealAgent(real, embedded);
describeRealAgent({ ...embedded, name: "the embedded hub" }, real);
describeRealAgent(real, real);
describeRealAgentWays(real, real);
describeTakenOverAgent(real, real);
describeExternalAgent(real, real);
