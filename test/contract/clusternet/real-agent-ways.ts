import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { dedicatedNamespaceName } from "../../../src/model/dialects/clusternet.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { clusternetAgentBinary } from "../../support/clusternet-agent-process.ts";
import type { HubPlace } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { clusterFile, tokenFile } from "../life/life-session.ts";
import type { RealAgentSession } from "./real-agent-session.ts";
import { openRealAgentSession } from "./real-agent-session.ts";

const { deployment, registrationRequest, secret } = resourceTypes;
const period = "heartbeat: { periodSeconds: 2 }";

/** The ways by which the unmodified agent, as a process, joins by files of a repository. */
export function describeRealAgentWays(hub: HubPlace, child: HubPlace): void {
  // Clusternet's agent is built from its own project: ROLLCALL_CLUSTERNET_AGENT names the program.
  describe.skipIf(clusternetAgentBinary === undefined)(
    `ways of Clusternet's own agent in ${child.name} into ${hub.name}`,
    () => {
      const id = randomUUID().slice(0, 6);
      const [merged, approved, booted, installed] = [`pr-${id}`, `ok-${id}`, `bt-${id}`, `in-${id}`];
      let session: RealAgentSession;
      const isWaiting = (request: KubeObject) =>
        textAt(request, "status", "errorMessage")?.startsWith("waits for a file") === true;
      const isApproved = (request: KubeObject) => textAt(request, "status", "result") === "Approved";
      const serve = (hasBootstrapTokens: boolean) =>
        session.startDaemon({
          serves: [{ name: "clusternet", controllers: "Rollcall", bootstrapTokens: hasBootstrapTokens }],
        });
      beforeAll(async () => {
        session = await openRealAgentSession(await hub.start(), await child.start());
        await serve(false);
        await session.commit({
          "tokens/review.yaml": tokenFile("review", [
            "protocol: clusternet",
            "approval: PullRequest",
            `clusterNames: [${merged}, ${approved}]`,
          ]),
        });
      });
      afterAll(async () => {
        await session.close();
      });

      it("waits for the file that the hub proposes, and is admitted as it is merged", async () => {
        const place = await session.childNamespace();
        const agent = await session.run(place, await session.flagsOf("review", merged));
        const clusterId = await session.clusterIdIn(place);
        await session.untilRequest(clusterId, isWaiting);
        const branch = `rollcall/join/${session.workspace}/review`;
        const path = `clusters/${session.workspace}/${merged}.yaml`;
        await until(
          () => session.repository.head(branch),
          (head) => head !== undefined,
        );
        const proposed = await session.repository.git("show", `${branch}:${path}`);
        expect(proposed).toContain(`clientID: ${clusterId}`);
        expect(agent.lines.join("\n")).not.toContain("gets approved");
        await session.commit({ [path]: proposed });
        await session.untilRequest(clusterId, isApproved);
        await session.untilReady(merged);
        expect(agent.lines.join("\n")).toContain("gets approved");
      });

      it("waits for an approval, and is admitted by the file of its own request", async () => {
        const place = await session.childNamespace();
        await session.run(place, await session.flagsOf("review", approved));
        const request = await session.untilRequest(await session.clusterIdIn(place), isWaiting);
        const { apiVersion, kind, metadata, spec } = request;
        const file = { apiVersion, kind, metadata: { name: metadata.name, labels: metadata.labels }, spec };
        await session.commit({ "approvals/ok.yaml": JSON.stringify(file) });
        await session.untilRequest(textAt(spec, "clusterId") ?? "", isApproved);
        const ready = await session.untilReady(approved);
        expect(textAt(ready, "spec", "clientID")).toBe(textAt(spec, "clusterId"));
      });

      it("joins by what the hub installs in its cluster, with the rights that it is given there", async () => {
        const place = `clusternet-${randomUUID().slice(0, 8)}`;
        const data = { value: Buffer.from(session.childKubeconfig, "utf8").toString("base64") };
        const metadata = { name: "child-kubeconfig", namespace: session.workspace };
        await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, data }, { fieldManager: "test" });
        const settings = "clusternet: { clusterType: EdgeCluster, syncMode: Dual }";
        const lines = ["protocol: clusternet", "kubeConfigSecretRef: { name: child-kubeconfig }", period, settings];
        const file = clusterFile(installed, [...lines, `agent: { namespace: ${place} }`]);
        await session.commit({ "clusters/installed.yaml": file });
        const agent = await session.runInstalled(place);
        const ready = await session.untilReady(installed);
        expect(textAt(ready, "status", "join", "mode")).toBe("HubInitiated");
        const account = `serviceaccount:${place}:`;
        // It reads the account that deploys workloads, which is not made.
        const refused = agent.lines.filter((line) => line.includes("forbidden") && line.includes(account));
        expect(refused.filter((line) => !line.includes("clusternet-app-deployer"))).toEqual([]);
        await session.untilRequest(await session.clusterIdIn(place), isApproved);
        await session.commit({ "clusters/installed.yaml": null }, "Leave\n\nRollcall-Allow-Deletions: 1\n");
        await session.untilDeleted(resourceTypes.cluster, installed);
        const ref = { type: deployment, namespace: place, name: "clusternet-agent" };
        expect(await session.childApi.get(ref)).toBeUndefined();
      });

      it("joins by a bootstrap token of Kubernetes, and sends heartbeats after that is deleted", async () => {
        await session.stopDaemon();
        await serve(true);
        const token = tokenFile("kubeadm", ["protocol: clusternet", "ttl: 1h", `clusterNames: [${booted}]`]);
        await session.commit({ "tokens/kubeadm.yaml": token });
        const flags = await session.flagsOf("kubeadm", booted);
        expect(flags["cluster-reg-token"]).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/u);
        const place = await session.childNamespace();
        const agent = await session.run(place, flags);
        await session.untilRequest(await session.clusterIdIn(place), isApproved);
        await session.untilReady(booted);
        await session.commit({ "tokens/kubeadm.yaml": null });
        const name = `bootstrap-token-${flags["cluster-reg-token"]?.slice(0, 6)}`;
        await session.untilDeleted(secret, name, "kube-system");
        await agent.stop();
        const again = await session.run(place, flags);
        await session.untilBeat(booted, dedicatedNamespaceName(session.workspace, booted));
        expect(again.lines.join("\n")).not.toMatch(/switch to use bootstrap token/u);
      });

      it("leaves nothing on the hub when its file is deleted", async () => {
        const [request] = (await session.api.list(registrationRequest)).items.filter(
          (object) => textAt(object, "spec", "clusterName") === approved,
        );
        expect(request).toBeDefined();
        await session.commit({ "approvals/ok.yaml": null }, "Leave\n\nRollcall-Allow-Deletions: 2\n");
        await session.untilDeleted(resourceTypes.cluster, approved);
        await session.untilDeleted(registrationRequest, request?.metadata.name ?? "");
      });
    },
  );
}
