import { readyHub } from "../../support/hub-under-test.ts";
import { describeWriteBounds } from "./write-bounds-suite.ts";

// A104, on the hub that needs no program of others.
describeWriteBounds("the embedded hub", readyHub);
