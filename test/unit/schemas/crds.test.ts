import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isJsonObject } from "../../../src/core/json.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import { specDefaultsOf } from "../../../src/planning/spec-defaults.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { partsOf } from "./source-schemas.ts";

interface CrdSpec {
  readonly group: string;
  readonly names: { readonly kind: string; readonly plural: string; readonly categories: readonly string[] };
  readonly scope: string;
  readonly versions: readonly {
    readonly name: string;
    readonly subresources?: { readonly status?: object };
    readonly additionalPrinterColumns: readonly { readonly name: string; readonly jsonPath: string }[];
    readonly schema: { readonly openAPIV3Schema: JsonObject };
  }[];
}

function specOf(crd: KubeObject): CrdSpec {
  return crd["spec"] as CrdSpec;
}

function versionOf(crd: KubeObject): CrdSpec["versions"][number] {
  const [version] = specOf(crd).versions;
  if (version === undefined) throw new Error(`${crd.metadata.name} has no version`);
  return version;
}

const named = crds.map((crd) => [specOf(crd).names.kind, crd] as const);

/** Source: Kubernetes, CustomResourceDefinition v1, JSONSchemaProps, as far as structural schemas may use it. */
const knownKeywords = new Set(
  (
    "type description properties required items additionalProperties default enum pattern format nullable anyOf " +
    "minimum maximum minLength maxLength minItems maxItems minProperties maxProperties x-kubernetes-validations " +
    "x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-map-type x-kubernetes-int-or-string " +
    "x-kubernetes-preserve-unknown-fields"
  ).split(" "),
);

describe("crds", () => {
  it("are those of the kinds that the program knows", () => {
    const ours = Object.values(resourceTypes).filter(({ group }) => group === "rollcall.dev");
    const declared = crds.map((crd) => {
      const { group, names, scope } = specOf(crd);
      const { name: version } = versionOf(crd);
      return { group, version, kind: names.kind, plural: names.plural, isNamespaced: scope === "Namespaced" };
    });
    expect(declared.sort(byKind)).toEqual([...ours].sort(byKind));
  });

  it.each(named)("%s uses only what an API server knows", (_kind, crd) => {
    const foreign = [...partsOf(versionOf(crd).schema.openAPIV3Schema)].flatMap(({ path, schema }) =>
      Object.keys(schema)
        .filter((keyword) => !knownKeywords.has(keyword))
        .map((keyword) => `${path}: ${keyword}`),
    );
    expect(foreign).toEqual([]);
  });

  it.each(named)("%s has no default inside a list", (_kind, crd) => {
    // An API server would fill it in, and the list of the file would never again equal that of the hub.
    const parts = [...partsOf(versionOf(crd).schema.openAPIV3Schema)];
    const filled = parts.filter(({ path, schema }) => path.includes("[]") && schema["default"] !== undefined);
    expect(filled.map(({ path }) => path)).toEqual([]);
  });

  it.each(named)("%s declares how server-side apply merges each list", (_kind, crd) => {
    const parts = [...partsOf(versionOf(crd).schema.openAPIV3Schema)];
    const silent = parts.filter(({ schema }) => schema["type"] === "array" && !schema["x-kubernetes-list-type"]);
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it.each(named)("%s has a status subresource, the category, and columns that exist", (_kind, crd) => {
    const { subresources, additionalPrinterColumns, schema } = versionOf(crd);
    expect(subresources).toEqual({ status: {} });
    expect(specOf(crd).names.categories).toEqual(["rollcall"]);
    const paths = new Set([...partsOf(schema.openAPIV3Schema)].map(({ path }) => path));
    paths.add("metadata.creationTimestamp");
    const unknown = additionalPrinterColumns.filter(
      ({ jsonPath }) => !paths.has(jsonPath.slice(1).replace(/\[\?\([^)]*\)\]/u, "[]")),
    );
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  it("stand as YAML in deploy/crds", () => {
    const folder = new URL("../../../deploy/crds/", import.meta.url);
    const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
    const files = names.map((name): unknown => parse(readFileSync(new URL(name, folder), "utf8")));
    expect(files.sort(byName)).toEqual([...crds].sort(byName));
  });
});

describe("specDefaults", () => {
  it("is what an API server makes of an empty spec", () => {
    const own = (kind: string) => specDefaultsOf({ apiVersion: "rollcall.dev/v1alpha1", kind });
    expect(own("Cluster")).toEqual({
      protocol: "rollcall",
      heartbeat: { failureThreshold: 3 },
      paused: false,
      agent: { replicas: 1, hostNetwork: false, logLevel: "info" },
      deletionGracePeriod: "0s",
      deletionProtection: false,
      placedResources: "Keep",
    });
    expect(own("ClusterRegistrationToken")).toEqual({ approval: "Automatic" });
    expect(own("Repository")).toMatchObject({ deletionBudget: { percent: 10, minimum: 1, maximum: 25 } });
    expect(own("Policy")).toEqual({});
    const kubefleet = { apiVersion: "cluster.kubernetes-fleet.io/v1beta1", kind: "MemberCluster" };
    expect(specDefaultsOf(kubefleet)).toEqual({ heartbeatPeriodSeconds: 60 });
  });
});

function byKind(a: { readonly kind: string }, b: { readonly kind: string }): number {
  return a.kind < b.kind ? -1 : 1;
}

function byName(a: unknown, b: unknown): number {
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

function nameOf(value: unknown): string {
  const metadata = isJsonObject(value) ? value["metadata"] : undefined;
  const name = isJsonObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? name : "";
}
