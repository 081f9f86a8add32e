import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { columnsOfVersion } from "../../../../src/embedded-hub/crds/crd-columns.ts";

/** The Tables of kube-apiserver 1.34 of a kind with columns, one object each, and of a kind without. */
interface Recording {
  readonly nowMs: number;
  readonly columns: readonly JsonObject[];
  readonly definitions: readonly JsonObject[];
  readonly plain: readonly JsonObject[];
  /** Cells behind the name. */
  readonly rows: readonly { readonly spec: JsonObject; readonly cells: readonly Json[] }[];
}

const file = new URL("golden/columns.json", import.meta.url);
const { nowMs, columns, definitions, plain, rows } = JSON.parse(readFileSync(file, "utf8")) as Recording;

describe("the columns of a custom kind that were recorded", () => {
  it.each(rows)("show $spec", ({ spec, cells }) => {
    const labels: Record<string, string> = Object.keys(spec).length > 0 && cells[8] !== null ? { "a.b/c": "lab" } : {};
    const object = { apiVersion: "a/v1", kind: "Col", metadata: { name: "c", labels }, spec };
    const own = columnsOfVersion({ additionalPrinterColumns: columns });
    expect(own.slice(1).map(({ cell }) => cell(object, nowMs))).toEqual(cells);
    expect(own[0]?.cell(object, nowMs)).toBe("c");
  });

  it("have their definitions, and a kind without columns those of every kind", () => {
    const definitionsOf = (version: JsonObject) =>
      columnsOfVersion(version).map(
        ({ cell: _cell, format = "", description = expect.any(String) as string, ...column }) => {
          return { format, description, ...column };
        },
      );
    expect(definitionsOf({ additionalPrinterColumns: columns })).toEqual(definitions);
    expect(definitionsOf({})).toEqual(plain);
  });
});
