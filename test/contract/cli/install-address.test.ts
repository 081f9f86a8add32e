// The cases of A63 are in the suite.
import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeInstallAddress } from "./install-address-suite.ts";

describeInstallAddress("the embedded hub", embeddedHub);
