import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeBootstrapTokens } from "./bootstrap-suite.ts";
import { describeExternalClusternet } from "./external-suite.ts";
import { describeClusternetAgents } from "./suite.ts";
import { describeClusternetUninstall } from "./uninstall-suite.ts";

describeClusternetAgents("the embedded hub", embeddedHub);
describeBootstrapTokens("the embedded hub", embeddedHub);
describeClusternetUninstall("the embedded hub", embeddedHub);
describeExternalClusternet("the embedded hub", embeddedHub);
