import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeKubeContract } from "./suite.ts";

describeKubeContract("the embedded hub", embeddedHub);
