import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clusterNamespaceName } from "../../../src/model/dialects/fleet.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const { fleetBundleDeployment, namespace } = resourceTypes;
const names = ["a", "b", "c"];
const file = (name: string): string =>
  `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\n` +
  `spec: {protocol: fleet, clientID: id-${name}, placedResources: Remove}\n`;

describe("clusters with placedResources: Remove", () => {
  let session: DaemonSession;
  const homeOf = (name: string): string => clusterNamespaceName(session.workspace, name);
  const placed = async (): Promise<string[]> => {
    const found = await Promise.all(names.map((name) => session.get(fleetBundleDeployment, "app", homeOf(name))));
    return names.filter((_, index) => found[index] !== undefined);
  };

  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    const files = Object.fromEntries(names.map((name) => [`${name}.yaml`, file(name)]));
    await session.repository.commit({ files, message: "Start\n" });
    await session.startDaemon({
      serves: [{ name: "fleet", controllers: "Rollcall" }],
      spec: { deletionBudget: { maximum: 1 } },
    });
    expect(await session.settle()).toMatchObject({ isApplied: true });
    for (const name of names) {
      await until(
        () => session.api.get({ type: namespace, name: homeOf(name) }),
        (object) => object !== undefined,
      );
      const metadata = { name: "app", namespace: homeOf(name) };
      const spec = { deploymentID: "s-1:2", stagedDeploymentID: "s-1:2" };
      const object = { apiVersion: "fleet.cattle.io/v1alpha1", kind: "BundleDeployment", metadata, spec };
      await session.api.create(object, { fieldManager: "test" });
    }
  });
  afterAll(() => session.close());

  it("are counted by the deletion budget; beyond it, nothing that was placed on them is deleted", async () => {
    await session.repository.commit({ files: { "a.yaml": null, "b.yaml": null }, message: "Remove two\n" });
    expect(await session.settle()).toMatchObject({ withheldCount: 2 });
    expect(await placed()).toEqual(names);
  });

  it("are named by the plan of an approval, with what was placed on them", async () => {
    const from = await session.repository.head();
    await session.repository.commit({
      branch: "approved",
      ...(from === undefined ? {} : { from }),
      files: { "README.md": "x" },
      message: "Approve\n\nRollcall-Allow-Deletions: 2\n",
    });
    const changes = (await session.planBranch("approved"))?.changes ?? [];
    const deleted = changes.flatMap(({ hubWork }) => hubWork?.deletes ?? []);
    expect(deleted.filter((object) => object.startsWith("BundleDeployment")).sort()).toEqual(
      ["a", "b"].map((name) => `BundleDeployment.fleet.cattle.io/${homeOf(name)}/app`).sort(),
    );
    expect(await placed()).toEqual(names);
  });
});
