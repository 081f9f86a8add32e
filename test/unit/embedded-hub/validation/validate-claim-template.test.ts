import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { validatePodSpec } from "../../../../src/embedded-hub/validation/validate-pod-spec.ts";
import { changed, podSpec, textsOf } from "./validation-builders.ts";

const path = "spec.volumes[0].ephemeral.volumeClaimTemplate";
const subdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`;
const label = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`;

function problems(ephemeral: JsonObject): string[] {
  return textsOf(validatePodSpec(changed(podSpec, ["volumes", [{ name: "v", ephemeral }]]), "spec", true));
}

// The answers of kube-apiserver 1.34.4.

describe("the claim of a volume that ends with its Pod", () => {
  const good = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const [noModes, noStorage] = [
    "accessModes: Required value: at least 1 access mode is required",
    "resources[storage]: Required value",
  ];
  const mode = (value: string): string =>
    `accessModes: Unsupported value: "${value}": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`;
  const claim = { kind: "PersistentVolumeClaim", name: "x" };
  const foreign = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";

  it.each<{ spec: JsonObject; expected: readonly string[] }>([
    { spec: {}, expected: [] },
    { spec: { accessModes: [] }, expected: [noModes] },
    { spec: { accessModes: ["Odd"] }, expected: [mode("Odd")] },
    { spec: { accessModes: ["ReadWriteOncePod"] }, expected: [] },
    { spec: { accessModes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] }, expected: [] },
    { spec: { accessModes: ["ReadWriteOncePod", "Odd"] }, expected: [mode("Odd")] },
    {
      spec: { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] },
      expected: ["accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"],
    },
    { spec: { resources: {} }, expected: [noStorage] },
    { spec: { resources: { requests: { cpu: "1" } } }, expected: [noStorage] },
    { spec: { resources: { requests: { storage: "1500m" }, limits: { odd: "-1" } } }, expected: [] },
    ...["0", "-1"].map((storage) => ({
      spec: { resources: { requests: { storage } } },
      expected: [`resources[storage]: Invalid value: "${storage}": must be greater than zero`],
    })),
    { spec: { selector: {} }, expected: [] },
    {
      spec: { selector: { matchExpressions: [{ key: "a", operator: "Odd" }] } },
      expected: ['selector.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator'],
    },
    { spec: { storageClassName: "", volumeAttributesClassName: "", volumeMode: "Block" }, expected: [] },
    { spec: { storageClassName: "A_" }, expected: [`storageClassName: Invalid value: "A_": ${subdomain}`] },
    {
      spec: { volumeAttributesClassName: "A_" },
      expected: [`volumeAttributesClassName: Invalid value: "A_": ${subdomain}`],
    },
    ...["Odd", ""].map((volumeMode) => ({
      spec: { volumeMode },
      expected: [`volumeMode: Unsupported value: "${volumeMode}": supported values: "Block", "Filesystem"`],
    })),
    { spec: { dataSource: claim, dataSourceRef: claim }, expected: [] },
    { spec: { dataSourceRef: { apiGroup: "example.com", kind: "X", name: "x", namespace: "b" } }, expected: [] },
    ...["dataSource", "dataSourceRef"].map((name) => ({
      spec: { [name]: {} },
      expected: [
        `${name}.name: Required value`,
        `${name}.kind: Required value`,
        `${name}: Invalid value: "": ${foreign}`,
      ],
    })),
    {
      spec: { dataSource: { apiGroup: "", kind: "VolumeSnapshot", name: "x" } },
      expected: [`dataSource: Invalid value: "VolumeSnapshot": ${foreign}`],
    },
    {
      spec: { dataSource: { apiGroup: "A_", kind: "VolumeSnapshot", name: "x" } },
      expected: [`dataSource.apiGroup: Invalid value: "A_": ${subdomain}`],
    },
    {
      spec: { dataSourceRef: { apiGroup: "example.com", kind: "X", name: "x", namespace: "A_" } },
      expected: [`dataSourceRef.namespace: Invalid value: "A_": ${label}`],
    },
    ...[
      { ...claim, name: "y" },
      { ...claim, apiGroup: "" },
    ].map((dataSource) => ({
      spec: { dataSource, dataSourceRef: claim },
      expected: [": Invalid value: {}: must match dataSourceRef"],
    })),
    {
      spec: { dataSource: claim, dataSourceRef: { ...claim, namespace: "b" } },
      expected: [": Invalid value: {}: may not be specified when dataSourceRef.namespace is specified"],
    },
  ])("has $expected with $spec", ({ spec, expected }) => {
    const texts = expected.map((text) => `${path}.spec${text.startsWith(":") ? "" : "."}${text}`);
    expect(problems({ volumeClaimTemplate: { spec: { ...good, ...spec } } })).toEqual(texts);
  });

  it("has a template, which has modes and an amount", () => {
    expect(problems({})).toEqual([`${path}: Required value`]);
    expect(problems({ volumeClaimTemplate: {} })).toEqual([noModes, noStorage].map((text) => `${path}.spec.${text}`));
  });

  it.each<[name: string, value: Json]>([
    ["name", "x"],
    ["generateName", "x"],
    ["namespace", "x"],
    ["uid", "x"],
    ["resourceVersion", "1"],
    ["generation", 1],
    ["creationTimestamp", "2020-01-01T00:00:00Z"],
    ["deletionGracePeriodSeconds", 1],
    ["finalizers", ["a/b"]],
    ["ownerReferences", [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "y" }]],
  ])("has no %s of its own", (name, value) => {
    const metadata = { labels: { a: "b" }, annotations: { c: "d" } };
    const expected = [`${path}.metadata.${name}: Forbidden: cannot be set`];
    expect(problems({ volumeClaimTemplate: { metadata, spec: good } })).toEqual([]);
    expect(problems({ volumeClaimTemplate: { metadata: { ...metadata, [name]: value }, spec: good } })).toEqual(
      expected,
    );
    expect(problems({ volumeClaimTemplate: { metadata: { [name]: null }, spec: good } })).toEqual([]);
  });

  it("has labels and annotations that are valid", () => {
    const metadata = { labels: { a: "-" }, annotations: { "-": "d" } };
    const fields = problems({ volumeClaimTemplate: { metadata, spec: good } }).map((text) => text.split(": ")[0]);
    expect(fields).toEqual([`${path}.metadata.annotations`, `${path}.metadata.labels`]);
  });
});
