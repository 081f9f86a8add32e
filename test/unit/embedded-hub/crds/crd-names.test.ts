import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { grantNames, hasItsNames } from "../../../../src/embedded-hub/crds/crd-names.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

/** The names that kube-apiserver 1.34 granted to a definition beside others of its group. */
interface Recording {
  readonly names: JsonObject & { readonly plural: string };
  /** The status of a definition whose names changed. */
  readonly before?: JsonObject;
  /** The status of each of the others. */
  readonly others: readonly JsonObject[];
  readonly acceptedNames: JsonObject;
  readonly conditions: readonly JsonObject[];
}

const file = new URL("golden/names.json", import.meta.url);
const recordings = JSON.parse(readFileSync(file, "utf8")) as readonly Recording[];

function crdOf(names: JsonObject, status: JsonObject | undefined, group = "example.org"): KubeObject {
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "n" } },
    spec: { group, names },
    ...(status === undefined ? {} : { status }),
  };
}

describe("the names of a definition that was recorded", () => {
  it.each(recordings.map((one) => [`${one.names.plural} ${JSON.stringify(one.names)}`, one] as const))(
    "%s",
    (_name, one) => {
      const { names, before, others, acceptedNames, conditions } = one;
      const rivals = others.map((status) => crdOf({}, status));
      // Those of another group, and one without a status, have no part in it.
      const strangers = [crdOf(names, { acceptedNames: names }, "other.org"), crdOf(names, undefined)];
      const crd = crdOf(names, before);
      const granted = grantNames(crd, [...rivals, ...strangers]);
      const [namesAccepted, established] = ["NamesAccepted", "Established"].map((type) =>
        conditions.find((condition) => condition["type"] === type),
      );
      expect({ kind: "", plural: "", ...granted.acceptedNames }).toEqual(acceptedNames);
      expect([granted.namesAccepted, granted.established]).toEqual([namesAccepted, established]);
      const after = { acceptedNames: granted.acceptedNames, conditions: [granted.namesAccepted, granted.established] };
      expect(hasItsNames(crdOf(names, after as unknown as JsonObject))).toBe(namesAccepted?.["status"] === "True");
      expect(hasItsNames(crdOf(names, { acceptedNames: names }))).toBe(false);
      expect(hasItsNames(crdOf(names, undefined))).toBe(false);
    },
  );
});
