import { describeKubectlSessions } from "../contract/life/kubectl-sessions-suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeKubectlSessions("a real kube-apiserver", realHub, { isShared: true });
