import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import {
  validateCsiDriver,
  validateCsiNode,
  validateStorageCapacity,
  validateStorageClass,
  validateVolumeAttachment,
  warnOfStorageCapacity,
  warnOfStorageClass,
} from "../../../../src/embedded-hub/validation/validate-storage.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { problemsOf, textsOf } from "./validation-builders.ts";

function made(kind: string, content: JsonObject): KubeObject {
  return { apiVersion: "storage.k8s.io/v1", kind, metadata: { name: "a" }, ...content };
}

describe("validateCsiNode", () => {
  const driver = { name: "a.io", nodeID: "a", topologyKeys: null };
  const node = (...drivers: readonly JsonObject[]): KubeObject => made("CSINode", { spec: { drivers } });
  const at = "spec.drivers[0]";

  it.each<{ drivers: readonly JsonObject[]; problems: readonly string[] }>([
    { drivers: [], problems: [] },
    { drivers: [driver, { ...driver, name: "b.io" }], problems: [] },
    { drivers: [driver, driver], problems: ["Duplicate spec.drivers[1].name"] },
    { drivers: [{ ...driver, name: "" }], problems: [`Required ${at}.name`, `Invalid ${at}.name`] },
    { drivers: [{ ...driver, name: "A.io" }], problems: [] },
    { drivers: [{ ...driver, name: "a".repeat(63) }], problems: [] },
    { drivers: [{ ...driver, name: `a.${"a".repeat(62)}` }], problems: [`TooLong ${at}.name`] },
    { drivers: [{ ...driver, nodeID: "" }], problems: [`Required ${at}.nodeID`] },
    { drivers: [{ ...driver, nodeID: "a".repeat(256) }], problems: [] },
    { drivers: [{ ...driver, nodeID: "a".repeat(257) }], problems: [`Invalid ${at}.nodeID`] },
    { drivers: [{ ...driver, allocatable: { count: 0 } }], problems: [] },
    { drivers: [{ ...driver, allocatable: { count: -1 } }], problems: [`Invalid ${at}.allocatable.count`] },
    { drivers: [{ ...driver, topologyKeys: ["a", "b"] }], problems: [] },
    { drivers: [{ ...driver, topologyKeys: ["a", "a"] }], problems: [`Duplicate ${at}`] },
    { drivers: [{ ...driver, topologyKeys: ["a b"] }], problems: [`Invalid ${at}`] },
  ])("finds $problems in $drivers", ({ drivers, problems }) => {
    expect(problemsOf(validateCsiNode(node(...drivers), undefined))).toEqual(problems);
  });

  it("keeps a driver as it is, and lets drivers come and leave", () => {
    const other = { ...driver, name: "b.io" };
    expect(validateCsiNode(node(other), node(driver))).toEqual([]);
    const changed = node({ ...driver, allocatable: { count: 1 } });
    expect(validateCsiNode(changed, node(driver)).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.drivers: Invalid value: {"Name":"a.io","NodeID":"a","TopologyKeys":null,"Allocatable":{"Count":1}}: ' +
        "field is immutable",
    ]);
  });
});

interface Case {
  readonly change: JsonObject;
  readonly problems: readonly string[];
}

const expression = (key: string, ...values: readonly string[]): JsonObject => ({ key, values });
const term = (...matchLabelExpressions: readonly JsonObject[]): JsonObject => ({ matchLabelExpressions });
const zone = "failure-domain.beta.kubernetes.io/zone";

describe("validateStorageClass", () => {
  const content = {
    provisioner: "A.io/A",
    parameters: { a: "b" },
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
  };
  const at = "allowedTopologies";

  it.each<Case>([
    { change: {}, problems: [] },
    { change: { provisioner: "" }, problems: ["Required provisioner"] },
    { change: { provisioner: "a b" }, problems: ["Invalid provisioner"] },
    { change: { parameters: { "": "a" } }, problems: ["Invalid parameters"] },
    { change: { parameters: { a: "b".repeat(256 * 1024 - 1) } }, problems: [] },
    { change: { parameters: { a: "b".repeat(256 * 1024) } }, problems: ["TooLong parameters"] },
    { change: { parameters: { ä: "b".repeat(256 * 1024 - 1) } }, problems: ["TooLong parameters"] },
    { change: { reclaimPolicy: "Retain" }, problems: [] },
    { change: { reclaimPolicy: "" }, problems: [] },
    { change: { reclaimPolicy: "Recycle" }, problems: ["NotSupported reclaimPolicy"] },
    { change: { volumeBindingMode: "WaitForFirstConsumer" }, problems: [] },
    { change: { volumeBindingMode: "" }, problems: ["NotSupported volumeBindingMode"] },
    { change: { [at]: [term(expression("a", "b", "c")), term(expression("a", "b"))] }, problems: [] },
    {
      change: { [at]: [term(expression("a", "b", "c")), term(expression("a", "c", "b"))] },
      problems: [`Duplicate ${at}[1].matchLabelExpressions`],
    },
    { change: { [at]: [{}] }, problems: [`Duplicate ${at}[0].matchLabelExpressions`] },
    {
      change: { [at]: [term(expression("a"), expression("a b", "c", "c"))] },
      problems: [
        `Required ${at}[0].matchLabelExpressions[0].values`,
        `Duplicate ${at}[0].matchLabelExpressions[1].values[1]`,
        `Invalid ${at}[0].matchLabelExpressions[1].key`,
      ],
    },
    {
      change: { [at]: [term(expression("a", "b"), expression("a", "c"))] },
      problems: [`Duplicate ${at}[0].matchLabelExpressions[1].key`],
    },
  ])("finds $problems", ({ change, problems }) => {
    expect(problemsOf(validateStorageClass(made("StorageClass", { ...content, ...change }), undefined))).toEqual(
      problems,
    );
  });

  it("finds too many parameters", () => {
    const parameters = Object.fromEntries(Array.from({ length: 512 }, (_, index) => [`a${index}`, "b"]));
    const problems = (one: JsonObject) =>
      problemsOf(validateStorageClass(made("StorageClass", { ...content, parameters: one }), undefined));
    expect(problems(parameters)).toEqual([]);
    expect(problems({ ...parameters, b: "c" })).toEqual(["TooLong parameters"]);
  });

  it("keeps what volumes were made by, and changes the rest", () => {
    const old = made("StorageClass", content);
    const problems = (change: JsonObject) =>
      problemsOf(validateStorageClass(made("StorageClass", { ...content, ...change }), old));
    expect(problems({ allowVolumeExpansion: true, mountOptions: ["ro"] })).toEqual([]);
    expect(
      problems({
        provisioner: "b",
        parameters: { a: "c" },
        reclaimPolicy: "Retain",
        volumeBindingMode: "WaitForFirstConsumer",
      }),
    ).toEqual([
      "Forbidden parameters",
      "Forbidden provisioner",
      "Forbidden reclaimPolicy",
      "Invalid volumeBindingMode",
    ]);
  });

  it("warns of labels of Nodes with another name now", () => {
    const one = made("StorageClass", { [at]: [term(expression("a", "b"), expression(zone, "b"))] });
    expect(warnOfStorageClass(one)).toEqual([
      `${at}[0].matchLabelExpressions[1].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
    ]);
  });
});

describe("validateCsiDriver", () => {
  const spec = { attachRequired: true, fsGroupPolicy: "File", volumeLifecycleModes: ["Persistent"] };
  const path = "spec.tokenRequests";

  it.each<Case>([
    { change: {}, problems: [] },
    { change: { fsGroupPolicy: "Odd" }, problems: ["NotSupported spec.fsGroupPolicy"] },
    { change: { volumeLifecycleModes: ["Ephemeral", "Odd"] }, problems: ["NotSupported spec.volumeLifecycleModes"] },
    {
      change: { tokenRequests: [{ audience: "a" }, { audience: "a" }] },
      problems: [`Duplicate ${path}[1].audience`],
    },
    {
      change: {
        tokenRequests: [600, 599, 2 ** 32, 2 ** 32 + 1].map((expirationSeconds) => ({
          audience: `${expirationSeconds}`,
          expirationSeconds,
        })),
      },
      problems: [`Invalid ${path}[1].expirationSeconds`, `Invalid ${path}[3].expirationSeconds`],
    },
  ])("finds $problems in $change", ({ change, problems }) => {
    expect(problemsOf(validateCsiDriver(made("CSIDriver", { spec: { ...spec, ...change } }), undefined))).toEqual(
      problems,
    );
  });

  it("keeps whether volumes are attached, and how they live", () => {
    const change = { attachRequired: false, fsGroupPolicy: "None", volumeLifecycleModes: ["Ephemeral"] };
    expect(textsOf(validateCsiDriver(made("CSIDriver", { spec: change }), made("CSIDriver", { spec })))).toEqual([
      "spec.attachedRequired: Invalid value: false: field is immutable",
      'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ]);
  });
});

describe("validateStorageCapacity", () => {
  const content = { storageClassName: "a", capacity: "1Gi", nodeTopology: { matchLabels: { a: "b" } } };

  it.each<Case>([
    { change: {}, problems: [] },
    { change: { capacity: "0", maximumVolumeSize: "-1" }, problems: [] },
    { change: { capacity: "-1" }, problems: ["Invalid capacity"] },
    { change: { storageClassName: "" }, problems: ["Invalid storageClassName"] },
    { change: { nodeTopology: { matchLabels: { a: "a b" } } }, problems: ["Invalid nodeTopology.matchLabels"] },
  ])("finds $problems in $change", ({ change, problems }) => {
    const one = made("CSIStorageCapacity", { ...content, ...change });
    expect(problemsOf(validateStorageCapacity(one, undefined))).toEqual(problems);
  });

  it("keeps what the capacity is of", () => {
    const change = { storageClassName: "b", capacity: "2Gi", nodeTopology: { matchLabels: { a: "c" } } };
    const changed = made("CSIStorageCapacity", change);
    expect(textsOf(validateStorageCapacity(changed, made("CSIStorageCapacity", content)))).toEqual([
      'nodeTopology: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable',
      'storageClassName: Invalid value: "b": field is immutable',
    ]);
  });

  it("warns of labels of Nodes with another name now", () => {
    const nodeTopology = { matchLabels: { [zone]: "a" }, matchExpressions: [{ key: zone, operator: "Exists" }] };
    const text = 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead';
    expect(warnOfStorageCapacity(made("CSIStorageCapacity", { nodeTopology }))).toEqual([
      `nodeTopology.matchExpressions[0].key: ${zone} is ${text}`,
      `nodeTopology.matchLabels.${zone}: ${text}`,
    ]);
  });
});

describe("validateVolumeAttachment", () => {
  const spec = { attacher: "A.io", nodeName: "n", source: { persistentVolumeName: "a" } };
  const inlineVolumeSpec = { accessModes: ["ReadWriteOnce"], csi: { driver: "a.io", volumeHandle: "a" } };
  const problemOf = (change: JsonObject, status: JsonObject = {}) =>
    problemsOf(validateVolumeAttachment(made("VolumeAttachment", { spec: { ...spec, ...change }, status }), undefined));

  it.each<Case>([
    { change: {}, problems: [] },
    { change: { attacher: "a b" }, problems: ["Invalid spec.attacher"] },
    {
      change: { attacher: "" },
      problems: ["Required spec.attacher", "Required spec.attacher", "Invalid spec.attacher"],
    },
    { change: { nodeName: "N" }, problems: ["Invalid spec.nodeName"] },
    {
      change: { source: { persistentVolumeName: "" } },
      problems: ["Required spec.source.persistentVolumeName", "Invalid spec.source.persistentVolumeName"],
    },
    { change: { source: {} }, problems: ["Required spec.source"] },
    { change: { source: { inlineVolumeSpec } }, problems: [] },
    { change: { source: { inlineVolumeSpec: {} } }, problems: ["csi", "accessModes", ""].map(ofInline) },
    { change: { source: { ...spec.source, inlineVolumeSpec } }, problems: ["Forbidden spec.source"] },
    {
      change: { source: { persistentVolumeName: "A" } },
      problems: ["Invalid spec.source.persistentVolumeName"],
    },
  ])("finds $problems in $change", ({ change, problems }) => {
    expect(problemOf(change)).toEqual(problems);
  });

  function ofInline(name: string): string {
    return `Required spec.source.inlineVolumeSpec${name === "" ? "" : `.${name}`}`;
  }

  it("bounds what a status has", () => {
    const metadata = (length: number): JsonObject => ({ attachmentMetadata: { a: "b".repeat(length) } });
    const error = (length: number): JsonObject => ({ detachError: { message: "m".repeat(length) } });
    expect([problemOf({}, metadata(256 * 1024 - 1)), problemOf({}, error(1024))]).toEqual([[], []]);
    expect(problemOf({}, metadata(256 * 1024))).toEqual(["TooLong status.attachmentMetadata"]);
    expect(problemOf({}, error(1025))).toEqual(["TooLong status.detachError.message"]);
  });

  it("keeps its spec, and takes the name of an attacher that it has", () => {
    const old = made("VolumeAttachment", { spec: { ...spec, attacher: "a b" } });
    expect(validateVolumeAttachment(old, old)).toEqual([]);
    const status = { attachError: { message: "m".repeat(1025) } };
    const fault = "TooLong status.attachError.message";
    expect(problemsOf(validateVolumeAttachment({ ...old, status }, old))).toEqual([fault, fault]);
    expect(textsOf(validateVolumeAttachment(made("VolumeAttachment", { spec }), old))).toEqual([
      'spec: Invalid value: {"Attacher":"A.io","Source":{"PersistentVolumeName":"a","InlineVolumeSpec":null},' +
        '"NodeName":"n"}: field is immutable',
    ]);
  });
});
