import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeExternalAgent } from "./external-agent.ts";
import { describeRealAgent } from "./real-agent.ts";
import { describeRealAgentWays } from "./real-agent-ways.ts";
import { describeTakenOverAgent } from "./taken-over-agent.ts";

const child = { name: "an embedded cluster", start: embeddedHub };
const hub = { ...child, name: "the embedded hub" };

describeRealAgent(hub, child);
describeRealAgentWays(hub, child);
describeTakenOverAgent(hub, child);
describeExternalAgent(hub, child);
