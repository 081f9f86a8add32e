import { describeKubeContract } from "../contract/kube/suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeKubeContract("a real control plane", realHub);
