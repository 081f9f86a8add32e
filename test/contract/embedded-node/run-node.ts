// A node as a process of its own, for tests that kill it: `script.mjs <kubeconfig> <node name> <folder> <worker>`.
import { readFileSync } from "node:fs";
import process from "node:process";
import { silentLog } from "../../../src/core/log.ts";
import { startEmbeddedNode } from "../../../src/embedded-node/embedded-node.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { realClock, realRandom } from "../../support/real-time.ts";

const [, , kubeconfigPath = "", nodeName = "", dir = "", worker = ""] = process.argv;
const connection = readKubeconfig(readFileSync(kubeconfigPath, "utf8"));
const time = { clock: realClock, random: realRandom };
await startEmbeddedNode({
  api: createKubeApi({ transport: createUndiciTransport(connection), ...time }),
  nodeName,
  dir,
  resolveImage: () => ({ command: process.execPath, args: [worker], env: {} }),
  ...time,
  log: silentLog,
});
process.stdout.write("ready\n");
