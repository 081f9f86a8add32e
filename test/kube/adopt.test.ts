import { describeImport } from "../contract/adopt/suite.ts";
import { describeClusterApiImport } from "../contract/adopt/cluster-api-suite.ts";
import { describeClusternetImport } from "../contract/adopt/clusternet-suite.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { realHub } from "../support/hub-under-test.ts";

describeImport("a real kube-apiserver", realHub);
describeClusternetImport("a real kube-apiserver", realHub);
describeClusterApiImport("a real kube-apiserver", realHub, { version: "v1beta1", startCluster: startControlPlane });
