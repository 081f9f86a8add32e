import { readyHub } from "../../support/hub-under-test.ts";
import { describeKubectlSessions } from "./kubectl-sessions-suite.ts";

describeKubectlSessions("the embedded hub", readyHub, { isShared: false });
