import { describeAgentPods } from "../contract/agent/agent-pods-suite.ts";
import { describeFlood } from "../contract/agent/flood-suite.ts";
import { describeAgentLife } from "../contract/agent/life-suite.ts";
import { describeRights } from "../contract/agent/rights-suite.ts";
import { describeRush } from "../contract/agent/rush-suite.ts";
import { describeAgents } from "../contract/agent/suite.ts";
import { describeWriteBounds } from "../contract/agent/write-bounds-suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeAgents("a real kube-apiserver", realHub);
describeAgentLife("a real kube-apiserver", realHub);
describeRights("a real kube-apiserver", realHub);
describeRush("a real kube-apiserver", realHub);
describeFlood("a real kube-apiserver", realHub);
describeWriteBounds("a real kube-apiserver", realHub);
describeAgentPods("a real kube-apiserver", realHub);
