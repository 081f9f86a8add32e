import { readyHub } from "../../support/hub-under-test.ts";
import { describeAgentPods } from "./agent-pods-suite.ts";

// A146, on the cluster that needs no program of others.
describeAgentPods("the embedded cluster", readyHub);
