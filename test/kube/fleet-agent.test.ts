import { describeRealAgent } from "../contract/fleet/real-agent.ts";
import { embeddedHub, ownRealHub, realHub } from "../support/hub-under-test.ts";

const real = { name: "a real kube-apiserver", start: realHub };
const embedded = { name: "an embedded cluster", start: embeddedHub };

// A hub of its own: it is restarted.
describeRealAgent({ ...real, start: ownRealHub }, embedded);
describeRealAgent({ ...embedded, name: "the embedded hub" }, real);
describeRealAgent(real, real);
