import { describeKubectlSessions } from "../contract/life/kubectl-sessions-suite.ts";
import { embeddedHub } from "../support/hub-under-test.ts";

// With the kubectl of the golden files, which is not everywhere.
describeKubectlSessions("the embedded hub", embeddedHub, { isShared: false });
