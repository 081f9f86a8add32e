import { describeKubefleetAgents } from "../contract/kubefleet/suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeKubefleetAgents("a real kube-apiserver", realHub);
