import { auditedEmbeddedHub } from "../../support/audited-hub.ts";
import { describeChildFights } from "./child-fights-suite.ts";

describeChildFights("the embedded hub", auditedEmbeddedHub);
