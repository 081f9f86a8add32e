import { embeddedHub, readyHub } from "../../support/hub-under-test.ts";
import { describeBootstrapTokens } from "./bootstrap-suite.ts";
import { describeExternalClusternet } from "./external-suite.ts";
import { describeClusternetAgents } from "./suite.ts";
import { describeClusternetUninstall } from "./uninstall-suite.ts";

describeClusternetAgents("the embedded hub", readyHub);
describeBootstrapTokens("the embedded hub", readyHub);
describeClusternetUninstall("the embedded hub", embeddedHub);
describeExternalClusternet("the embedded hub", readyHub);
