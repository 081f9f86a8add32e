import { describeHubChanges } from "../contract/life/hub-changes-suite.ts";
import { describeHubEdits } from "../contract/life/hub-edits-suite.ts";
import { describeHubKinds } from "../contract/life/hub-kinds-suite.ts";
import { realHub } from "../support/hub-under-test.ts";

describeHubChanges("a real kube-apiserver", realHub);
describeHubEdits("a real kube-apiserver", realHub);
describeHubKinds("a real kube-apiserver", realHub);
