import { describeBootstrapTokens } from "../contract/clusternet/bootstrap-suite.ts";
import { describeClusternetAgents } from "../contract/clusternet/suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeClusternetAgents("a real kube-apiserver", realHub);
describeBootstrapTokens("a real kube-apiserver", realHub);
