import { seedsOfPlans } from "../contract/daemon/plan-audit/seeds.ts";
import { describePlanAudit } from "../contract/daemon/plan-audit/suite.ts";
import { auditedControlPlane } from "../support/audited-hub.ts";

describePlanAudit("kube-apiserver, its audit log", auditedControlPlane, seedsOfPlans(3));
