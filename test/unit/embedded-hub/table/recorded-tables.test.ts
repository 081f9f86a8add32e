import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

/** What kube-apiserver 1.34.4 showed of objects at a time: by the names of the columns of their kind. */
interface Recorded {
  readonly nowMs: number;
  readonly rows: readonly (readonly [plural: string, object: JsonObject, cells: JsonObject])[];
}

const file = new URL("golden/objects.json", import.meta.url);
const { nowMs, rows } = JSON.parse(readFileSync(file, "utf8")) as Recorded;
const definitions = builtInResources();

it.each(rows.map(([plural, object, cells], index) => ({ plural, object, cells, index })))(
  "$plural are shown as they were recorded: $index",
  ({ plural, object, cells }) => {
    const kube = object as unknown as KubeObject;
    const definition = definitions.find((one) => one.plural === plural && one.kind === kube.kind);
    const shown = (definition?.columns ?? []).filter(({ name }) => name !== "Name" && name !== "Age");
    expect(Object.fromEntries(shown.map(({ name, cell }) => [name, cell(kube, nowMs) as Json]))).toEqual(cells);
  },
);
