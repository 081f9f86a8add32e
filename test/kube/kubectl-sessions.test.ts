import { describeKubectlSessions } from "../contract/life/kubectl-sessions-suite.ts";
import { embeddedHub, realHub } from "../support/hub-under-test.ts";

describeKubectlSessions("a real kube-apiserver", realHub);
// With the kubectl of the golden files, which is not everywhere.
describeKubectlSessions("the embedded hub", embeddedHub);
