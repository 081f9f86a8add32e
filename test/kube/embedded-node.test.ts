import { describeNodeContract } from "../contract/embedded-node/suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeNodeContract("on a real control plane", realHub);
