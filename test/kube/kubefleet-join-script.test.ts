import { describeJoinScript } from "../contract/kubefleet/join-script.ts";
import { ownRealHub } from "../support/hub-under-test.ts";

// Two of its own: the script's namespaces and accounts have the same names whatever the test is called.
const real = { name: "a real kube-apiserver", start: ownRealHub };
describeJoinScript(real, real);
