import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAddCluster } from "../../../src/cli/commands/add-cluster.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import type { LifeSession } from "./life-session.ts";
import { clusterFile, openLifeSession } from "./life-session.ts";

const { cluster, deployment, namespace } = resourceTypes;
const agentNamespace = "rollcall-agent";

/** The hub as a member of its own fleet, from the command to its removal. */
export function describeLocalCluster(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`the hub as its own member on ${name}`, () => {
    let session: LifeSession;
    let folder = "";
    let file = "";

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "rollcall-local-"));
      const hub = await startHub();
      await writeFile(join(folder, "hub.kubeconfig"), hub.kubeconfig, { mode: 0o600 });
      session = await openLifeSession(hub);
      await session.repository.commit({ files: { "clusters/beside.yaml": clusterFile("beside") } });
      await session.startDaemon();
      await session.settle();
    });
    afterAll(async () => {
      for (const own of [agentNamespace, "rollcall-installer"])
        await session.api.delete({ type: namespace, name: own });
      await session.close();
      await rm(folder, { recursive: true, force: true });
    });

    it("joins by the file that one command writes, and is Ready by the agent on the hub", async () => {
      await runCommand("add cluster", runAddCluster, {
        args: ["local"],
        options: {
          dir: folder,
          local: "true",
          "hub-kubeconfig": join(folder, "hub.kubeconfig"),
          workspace: session.workspace,
        },
      });
      file = await readFile(join(folder, "clusters/local.yaml"), "utf8");
      await session.commit({ "clusters/local.yaml": file });
      await session.startInstalledAgent(agentNamespace);
      const ready = await session.untilReady("local");
      expect(textAt(ready, "status", "join", "mode")).toBe("HubInitiated");
      expect(textAt(ready, "status", "kubernetesVersion")).toMatch(/^v1\.\d+/u);
    });

    it("leaves when its file is deleted: the agent is removed, hub and other members stay", async () => {
      await session.commit({ "clusters/local.yaml": null }, "leave\n\nRollcall-Allow-Deletions: 1\n");
      await session.untilDeleted(cluster, "local");
      await session.untilDeleted(deployment, "rollcall-agent", agentNamespace);
      expect(await session.get(cluster, "beside")).toBeDefined();
      expect(session.impossibleSteps()).toEqual([]);
    });
  });
}
