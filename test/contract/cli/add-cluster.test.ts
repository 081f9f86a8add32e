import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { runAddCluster } from "../../../src/cli/commands/add-cluster.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { describeAddCluster } from "./add-cluster-suite.ts";

describeAddCluster("the embedded hub", embeddedHub);

describe("rollcall add cluster to a cluster of others", () => {
  let dir = "";
  let hub: HubUnderTest;
  let api: KubeApi;
  const run = (kubeconfig: string) => {
    const options = { dir: join(dir, "tree"), kubeconfig, "hub-kubeconfig": join(dir, "hub") };
    return runCommand("add cluster", runAddCluster, { args: ["eu-1"], options });
  };
  const makeNamespace = (name: string) =>
    api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { fieldManager: "test" });
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "rollcall-add-"));
    await mkdir(join(dir, "tree"));
    hub = await embeddedHub();
    await writeFile(join(dir, "hub"), hub.kubeconfig);
    api = apiOf(readKubeconfig(hub.kubeconfig));
  });
  afterEach(async () => {
    await api.close();
    await hub.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it.each(["rollcall-agent", "rollcall-installer"])(
    "makes nothing in it where another program made namespace %s",
    async (name) => {
      await makeNamespace(name);
      const message = `namespace ${name} exists, and was not made by Rollcall`;
      await expect(run(join(dir, "hub"))).rejects.toThrow(message);
      const { items } = await api.list(resourceTypes.namespace);
      const names = items.map(({ metadata }) => metadata.name);
      expect(names.filter((found) => found.startsWith("rollcall-"))).toEqual([name]);
      expect(await readdir(join(dir, "tree"))).toEqual([]);
    },
  );

  it("keeps the name by which the certificate of the cluster is checked", async () => {
    await makeNamespace("fleet");
    const reached = parse(hub.kubeconfig) as { readonly clusters: readonly [{ readonly cluster: object }] };
    Object.assign(reached.clusters[0].cluster, { "tls-server-name": "localhost" });
    await writeFile(join(dir, "reached"), stringify(reached));
    expect((await run(join(dir, "reached"))).text).toContain("Secret fleet/eu-1-kubeconfig on the hub");
    const ref = { type: resourceTypes.secret, namespace: "fleet", name: "eu-1-kubeconfig" };
    const stored = Buffer.from(textAt(await api.get(ref), "data", "value") ?? "", "base64").toString("utf8");
    expect(readKubeconfig(stored).tlsServerName).toBe("localhost");
  });
});
