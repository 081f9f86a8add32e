import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { agentKey, branch, recordOf, useHubToRestore } from "./lost-hub.ts";
import type { LostHub } from "./lost-hub.ts";

// Who may push a status branch that no hub signed decides which clusters join, and nothing else.
describe("a restore from numbers and names that no hub wrote", () => {
  const loseHub = useHubToRestore();

  /** The branch as a version without signatures wrote it, with these files changed. */
  const withoutSignatures = async (lost: LostHub, changes: Readonly<Record<string, string>>): Promise<void> => {
    const files: Record<string, string> = {};
    for (const path of await lost.repository.fileNames(branch))
      if (path !== "signature.yaml") files[path] = await lost.repository.git("show", `${branch}:${path}`);
    await lost.repository.commit({ branch, from: null, files: { ...files, ...changes } });
  };

  it.each(["9007199254740990", "1e308", "0", "-1", "1.5"])(
    "A147 a branch without signatures does not set the epoch to %s, after which no agent would return",
    async (epoch) => {
      const lost = await loseHub();
      await lost.write(["edge-1"]);
      const summary = await lost.repository.git("show", `${branch}:summary.yaml`);
      await withoutSignatures(lost, { "summary.yaml": summary.replace("epoch: 1", `epoch: ${epoch}`) });
      await expect(lost.restore({ isUnsignedAccepted: true })).rejects.toMatchObject({ code: "E_READ" });
      expect(await lost.restoredKeys("edge-1")).toEqual([undefined]);
    },
  );

  it("A147 a branch without signatures makes no namespace of the hub a workspace", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"]);
    const record = toYamlFile(recordOf("kube-system", "edge-2", agentKey())).content;
    await withoutSignatures(lost, { "clusters/kube-system/edge-2.yaml": record });
    await expect(lost.restore({ isUnsignedAccepted: true })).rejects.toThrow(/namespace kube-system.*no workspace/u);
    const namespace = await lost.hubApi.get({ type: resourceTypes.namespace, name: "kube-system" });
    expect(namespace?.metadata.labels?.["rollcall.dev/workspace"]).toBeUndefined();
    expect(await lost.restoredKeys("edge-1")).toEqual([undefined]);
  });

  it.each(["NaN", "9007199254740991", "", "two"])("refuses a backup whose epoch is '%s'", async (epoch) => {
    const lost = await loseHub();
    await lost.write(["edge-1"]);
    await lost.writeBackup({ epoch });
    await expect(lost.restore()).rejects.toMatchObject({ code: "E_HUB_INFO" });
    expect(await lost.restoredKeys("edge-1")).toEqual([undefined]);
  });
});
