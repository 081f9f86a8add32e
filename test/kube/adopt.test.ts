import { describeImport } from "../contract/adopt/suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeImport("a real kube-apiserver", realHub);
