import { describeRealAgent } from "../contract/fleet/real-agent.ts";
import { embeddedHub, realHub } from "../support/hub-under-test.ts";

const real = { name: "a real kube-apiserver", start: realHub };
const embedded = { name: "an embedded cluster", start: embeddedHub };

describeRealAgent(real, embedded);
describeRealAgent({ ...embedded, name: "the embedded hub" }, real);
describeRealAgent(real, real);
