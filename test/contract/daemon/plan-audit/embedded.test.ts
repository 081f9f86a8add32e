import { auditedEmbeddedHub } from "../../../support/audited-hub.ts";
import { seedsOfPlans } from "./seeds.ts";
import { describePlanAudit } from "./suite.ts";

describePlanAudit("the embedded hub", auditedEmbeddedHub, seedsOfPlans(1));
