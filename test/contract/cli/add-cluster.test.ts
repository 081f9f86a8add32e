import { describeAddCluster } from "./add-cluster-suite.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";

describeAddCluster("the embedded hub", embeddedHub);
