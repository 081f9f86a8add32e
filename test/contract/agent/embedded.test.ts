import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeFlood } from "./flood-suite.ts";
import { describeAgentLife } from "./life-suite.ts";
import { describeRights } from "./rights-suite.ts";
import { describeRush } from "./rush-suite.ts";
import { describeAgents } from "./suite.ts";

describeAgents("the embedded hub", embeddedHub);
describeAgentLife("the embedded hub", embeddedHub);
describeRights("the embedded hub", embeddedHub);
describeRush("the embedded hub", embeddedHub);
describeFlood("the embedded hub", embeddedHub);
