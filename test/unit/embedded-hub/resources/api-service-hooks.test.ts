import { expect, it } from "vitest";
import { objectAt } from "../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { refusalOf, startHubWorld } from "../controllers/hub-world.ts";

const [services, name] = ["apiservices", "v1.a.io"];
const service: KubeObject = {
  ...{ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService" },
  metadata: { name, finalizers: ["held"] },
  spec: { group: "a.io", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 },
};

it("an APIService takes any finalizer, and no write without the version that it is a change of", async () => {
  const world = await startHubWorld();
  await world.create(service);
  expect(world.get(services, name)).toMatchObject({ metadata: { finalizers: ["held"] } });
  expect(await refusalOf(world.change(services, name, () => service))).toContain("must be specified for an update");
});

it("the status of an APIService is written alone, and has valid conditions", async () => {
  const world = await startHubWorld();
  await world.create(service);
  const write = (status: string) =>
    world.change(
      services,
      name,
      (one) => ({
        ...one,
        metadata: { ...one.metadata, labels: { a: "b" } },
        spec: { ...objectAt(one, "spec"), versionPriority: 2 },
        status: { conditions: [{ type: "Available", status }] },
      }),
      { subresource: "status" },
    );
  expect(await refusalOf(write("Odd"))).toContain("status.conditions[0].status: Unsupported value");
  const { metadata, ...rest } = await write("False");
  expect(rest).toMatchObject({ spec: service["spec"], status: { conditions: [{ status: "False" }] } });
  expect(metadata.labels).toBeUndefined();
  const fields = metadata.managedFields?.find(({ subresource }) => subresource === "status")?.fieldsV1;
  expect(Object.keys(fields ?? {})).toEqual(["f:status"]);
});
