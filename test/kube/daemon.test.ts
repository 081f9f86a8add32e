import { describeListFields } from "../contract/daemon/list-fields-suite.ts";
import { describeRepositories } from "../contract/daemon/repositories-suite.ts";
import { describeRestarts } from "../contract/daemon/restarts-suite.ts";
import { describeDaemon } from "../contract/daemon/suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeDaemon("a real kube-apiserver", realHub);
describeRepositories("a real kube-apiserver", realHub);
describeRestarts("a real kube-apiserver", realHub);
describeListFields("a real kube-apiserver", realHub);
