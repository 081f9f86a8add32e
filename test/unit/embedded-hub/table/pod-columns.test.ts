import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { podColumns } from "../../../../src/embedded-hub/table/pod-columns.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

/** What kube-apiserver 1.34.4 showed of Pods with random states at a time: by the names of its columns. */
interface Recorded {
  readonly nowMs: number;
  readonly rows: readonly (readonly [pod: JsonObject, cells: JsonObject])[];
}

const file = new URL("golden/pods.json", import.meta.url);
const { nowMs, rows } = JSON.parse(readFileSync(file, "utf8")) as Recorded;

function cellsOf(pod: KubeObject): JsonObject {
  const shown = podColumns.filter(({ name }) => name !== "Name" && name !== "Age");
  return Object.fromEntries(shown.map(({ name, cell }) => [name, cell(pod, nowMs) as Json]));
}

it.each(rows.map(([pod, cells], index) => [index, pod, cells] as const))(
  "Pod %d is shown as it was recorded",
  (_index, pod, cells) => {
    expect(cellsOf({ apiVersion: "v1", kind: "Pod", ...pod } as unknown as KubeObject)).toEqual(cells);
  },
);

it("the recorded Pods are of many states", () => {
  expect(new Set(rows.map(([, cells]) => cells["Status"])).size).toBeGreaterThan(15);
});
