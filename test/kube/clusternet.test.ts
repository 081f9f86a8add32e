import { describeBootstrapTokens } from "../contract/clusternet/bootstrap-suite.ts";
import { describeExternalClusternet } from "../contract/clusternet/external-suite.ts";
import { describeClusternetAgents } from "../contract/clusternet/suite.ts";
import { describeClusternetUninstall } from "../contract/clusternet/uninstall-suite.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { realHub } from "../support/hub-under-test.ts";

describeClusternetAgents("a real kube-apiserver", realHub);
describeBootstrapTokens("a real kube-apiserver", realHub);
describeClusternetUninstall("a real kube-apiserver of its own", startControlPlane);
describeExternalClusternet("a real kube-apiserver", realHub);
