import { createHttpsTransport } from "../../src/kube/https-transport.ts";
import { describeKubeContract } from "../contract/kube/suite.ts";
import { createClientNodeTransport } from "../support/client-node-transport.ts";
import { realHub } from "../support/hub-under-test.ts";

describeKubeContract("a real control plane", realHub);
describeKubeContract("a real control plane, by the agent's connections", realHub, createHttpsTransport);
describeKubeContract("a real control plane, by @kubernetes/client-node", realHub, createClientNodeTransport);
