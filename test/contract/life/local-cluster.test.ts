import { readyHub } from "../../support/hub-under-test.ts";
import { describeLocalCluster } from "./local-cluster-suite.ts";

describeLocalCluster("the embedded hub", readyHub);
