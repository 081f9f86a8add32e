import { countOfRun } from "../../support/full-counts.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { describeFlood } from "./flood-suite.ts";
import { describeAgentLife } from "./life-suite.ts";
import { describeRights } from "./rights-suite.ts";
import { describeRush } from "./rush-suite.ts";
import { describeAgents } from "./suite.ts";

describeAgents("the embedded hub", readyHub);
describeAgentLife("the embedded hub", readyHub);
describeRights("the embedded hub", readyHub);
describeRush("the embedded hub", readyHub);
describeFlood("the embedded hub", readyHub, countOfRun({ full: 200, short: 70 }));
