import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { startProgram } from "../support/run-program.ts";
import { until } from "../support/until.ts";

const kubectl = { fieldManager: "kubectl-client-side-apply" };
const token: KubeObject = {
  apiVersion: "fleet.cattle.io/v1alpha1",
  kind: "ClusterRegistrationToken",
  metadata: { name: "new-token", namespace: "clusters" },
  spec: { ttl: "240h" },
};

describe("rollcall up --protocol fleet --clusters 0, for a reader of Fleet's documents", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let program: RunningProgram;

  beforeAll(async () => {
    folder = await makeTempFolder();
    program = startProgram(["up", "--protocol", "fleet", "--clusters", "0", "--dir", folder.path]);
    await program.untilLine((line) => line.startsWith("Ctrl-C stops everything"));
  });
  afterAll(async () => {
    expect(await program.end("SIGINT")).toBe(0);
    await folder.remove();
  });

  it("needs no agent, and says what becomes of objects that kubectl creates", () => {
    const told = program.lines.join("\n");
    expect(told).toContain("\nclusters    none\n");
    expect(told).toContain("The hub is ready, without a cluster. Open http://127.0.0.1:");
    expect(told).toContain("What kubectl creates in clusters becomes a file of the repository, and is served.");
  });

  it("serves a token that kubectl creates, and has it as a file", async () => {
    const demo = join(folder.path, "fleet-demo");
    const api = apiOf(readKubeconfig(await readFile(join(demo, "hub.kubeconfig"), "utf8")));
    try {
      await api.create(token, kubectl);
      const values = { type: resourceTypes.secret, namespace: "clusters", name: "new-token" };
      const secret = await until(
        () => api.get(values),
        (seen) => seen !== undefined,
      );
      expect(Object.keys((secret?.["data"] ?? {}))).toContain("values");
      const shown = await runGit(demo, ["--git-dir", "fleet.git", "show", "main:tokens/clusters/new-token.yaml"]);
      expect(shown).toContain("kind: ClusterRegistrationToken");
      expect(shown).toContain("ttl: 240h");
    } finally {
      await api.close();
    }
  });
});
