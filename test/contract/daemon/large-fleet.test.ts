import { auditedEmbeddedHub } from "../../support/audited-hub.ts";
import { describeLargeFleet } from "./large-fleet-suite.ts";

describeLargeFleet("the embedded hub", auditedEmbeddedHub);
