import { describeLocalCluster } from "../contract/life/local-cluster-suite.ts";
import { ownRealHub } from "../support/hub-under-test.ts";

// Its own: the agent on the hub has one namespace.
describeLocalCluster("a real kube-apiserver", ownRealHub);
