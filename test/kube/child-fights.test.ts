import { describeChildFights } from "../contract/life/child-fights-suite.ts";
import { auditedControlPlane } from "../support/audited-hub.ts";

describeChildFights("a real kube-apiserver", auditedControlPlane);
