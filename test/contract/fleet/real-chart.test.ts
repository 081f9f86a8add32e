import { embeddedHub } from "../../support/hub-under-test.ts";
import { describeRealChart } from "./real-chart.ts";

describeRealChart(
  { name: "the embedded hub", start: embeddedHub },
  { name: "an embedded cluster", start: embeddedHub },
);
