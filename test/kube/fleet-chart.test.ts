import { describeRealChart } from "../contract/fleet/real-chart.ts";
import { ownRealHub } from "../support/hub-under-test.ts";

// Two of its own: the chart has one namespace and one ClusterRole, whatever the test is called.
const real = { name: "a real kube-apiserver", start: ownRealHub };
describeRealChart(real, real);
