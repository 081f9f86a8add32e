import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeClusternetAgents } from "./suite.ts";

describeClusternetAgents("the embedded hub", embeddedHub);
