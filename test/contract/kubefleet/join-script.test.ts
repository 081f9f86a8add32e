import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeJoinScript } from "./join-script.ts";

describeJoinScript(
  { name: "the embedded hub", start: embeddedHub },
  { name: "an embedded cluster", start: embeddedHub },
);
