import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeRealAgent } from "./real-agent.ts";

const embedded = { name: "an embedded cluster", start: embeddedHub };

describeRealAgent({ ...embedded, name: "the embedded hub" }, embedded);
