import { describeGet } from "../contract/cli/get-suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeGet("a real control plane", realHub);
