import { expect, it } from "vitest";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { AppError } from "../../../src/core/errors.ts";
import { listIfAllowed } from "../../../src/daemon/list-if-allowed.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const type = resourceTypes.clusterGroup;

it("has the objects of the namespace that is asked for", async () => {
  const items = [{ apiVersion: "a/v1", kind: "ClusterGroup", metadata: { namespace: "fleet", name: "all" } }];
  const asked: unknown[] = [];
  const list = (...request: readonly unknown[]) => {
    asked.push(request);
    return Promise.resolve({ items, resourceVersion: "1" });
  };
  expect(await listIfAllowed({ list }, type, { namespace: "fleet" })).toBe(items);
  expect(asked).toEqual([[type, { namespace: "fleet" }]]);
});

it.each<ErrorCode>(["E_KUBE_FORBIDDEN", "E_KUBE_NOT_FOUND"])("has none on %s", async (code) => {
  const list = () => Promise.reject(new AppError(code, "list clustergroups"));
  expect(await listIfAllowed({ list }, type, {})).toBeUndefined();
});

it("passes on other errors", async () => {
  const list = () => Promise.reject(new AppError("E_KUBE_SERVER", "list clustergroups: 500"));
  await expect(listIfAllowed({ list }, type, {})).rejects.toMatchObject({ code: "E_KUBE_SERVER" });
});
