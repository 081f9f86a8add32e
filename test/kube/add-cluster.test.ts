import { describeAddCluster } from "../contract/cli/add-cluster-suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeAddCluster("a real control plane", realHub);
