import { describeAllProtocols } from "../contract/daemon/all-protocols-suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeAllProtocols("a real kube-apiserver", realHub);
