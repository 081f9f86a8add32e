import { readyHub } from "../../support/hub-under-test.ts";
import { describeRepositories } from "./repositories-suite.ts";

describeRepositories("the embedded hub", readyHub);
