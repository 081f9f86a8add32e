import { expect, it } from "vitest";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { endpointsColumns } from "../../../../src/embedded-hub/table/core-columns.ts";
import { leastCpuMs } from "../../../support/least-cpu-ms.ts";

function cellOf(...subsets: readonly (readonly [addresses: number, ports: number])[]) {
  const endpoints: KubeObject = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "a" },
    subsets: subsets.map(([addresses, ports]) => ({
      addresses: Array.from({ length: addresses }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` })),
      ports: Array.from({ length: ports }, (_, index) => ({ port: index + 1 })),
    })),
  };
  return endpointsColumns.find(({ name }) => name === "Endpoints")?.cell(endpoints, 0);
}

it.each([
  [cellOf([1, 2], [1, 0]), "10.0.0.0:1,10.0.0.0:2,10.0.0.0"],
  [cellOf([2, 2]), "10.0.0.0:1,10.0.0.1:1,10.0.0.0:2 + 1 more..."],
  [cellOf([1, 5]), "10.0.0.0:1,10.0.0.0:2,10.0.0.0:3 + 2 more..."],
  [cellOf([4, 1]), "10.0.0.0:1,10.0.0.1:1,10.0.0.2:1 + 1 more..."],
])("shows three endpoints, and how many more there are: %s", (cell, expected) => {
  expect(cell).toBe(expected);
});

it("A257 a table of Endpoints does not write each address with each port", () => {
  expect(cellOf([3000, 3000])).toMatch(/ \+ 8999997 more\.\.\.$/u);
  expect(leastCpuMs(() => cellOf([3000, 3000]), 300)).toBeLessThan(300);
});
