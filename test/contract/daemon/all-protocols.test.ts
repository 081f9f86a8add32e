import { readyHub } from "../../support/hub-under-test.ts";
import { describeAllProtocols } from "./all-protocols-suite.ts";

describeAllProtocols("the embedded hub", readyHub);
