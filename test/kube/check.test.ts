import { describeCheck } from "../contract/cli/check-suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeCheck("a real control plane", realHub);
