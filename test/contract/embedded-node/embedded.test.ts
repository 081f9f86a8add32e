import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeNodeContract } from "./suite.ts";

describeNodeContract("on the embedded hub", embeddedHub);
