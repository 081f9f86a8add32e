import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { FieldError } from "../../../../src/embedded-hub/schema/schema.ts";
import { validateConfigMap, validateSecret } from "../../../../src/embedded-hub/validation/validate-config.ts";
import {
  validateLease,
  validateNamespace,
  validatePriorityClass,
} from "../../../../src/embedded-hub/validation/validate-small-kinds.ts";
import { validateCoreEvent, validateNewEvent } from "../../../../src/embedded-hub/validation/validate-event.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const encode = (text: string) => Buffer.from(text).toString("base64");

function made(kind: string, content: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "a", namespace: "shop", ...metadata }, ...content };
}

function textsOf(errors: readonly FieldError[]): string[] {
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

describe("a ConfigMap", () => {
  it("has keys that can be files, each in one of its bags", () => {
    const map = made("ConfigMap", { data: { ok: "", "..": "", "a b": "", both: "" }, binaryData: { both: "" } });
    expect(textsOf(validateConfigMap(map, undefined))).toEqual([
      "data[..]: Invalid value: \"..\": must not be '..'",
      expect.stringMatching(/^data\[a b\]: Invalid value: "a b": a valid config key must consist of/u),
      'data[both]: Invalid value: "both": duplicate of key present in binaryData',
    ]);
  });

  it("holds a mebibyte, whatever the bag", () => {
    const half = "x".repeat(512 * 1024);
    const full = made("ConfigMap", { data: { a: half }, binaryData: { b: encode(half) } });
    expect(validateConfigMap(full, undefined)).toEqual([]);
    const over = made("ConfigMap", { data: { a: half, c: "x" }, binaryData: { b: encode(half) } });
    expect(textsOf(validateConfigMap(over, undefined))).toEqual(["[]: Too long: may not be more than 1048576 bytes"]);
  });

  it("stays as it is once it is immutable, but for its metadata", () => {
    const old = made("ConfigMap", { data: { a: "1" }, immutable: true });
    expect(validateConfigMap(made("ConfigMap", { data: { a: "1" }, immutable: true }, { labels: {} }), old)).toEqual(
      [],
    );
    const text = "Forbidden: field is immutable when `immutable` is set";
    expect(textsOf(validateConfigMap(made("ConfigMap", { data: { a: "2" } }), old))).toEqual([
      `immutable: ${text}`,
      `data: ${text}`,
    ]);
    expect(textsOf(validateConfigMap(made("ConfigMap", { immutable: true }), old))).toEqual([`data: ${text}`]);
    expect(validateConfigMap(made("ConfigMap", {}), made("ConfigMap", { data: { a: "1" } }))).toEqual([]);
  });
});

describe("a Secret", () => {
  it("holds what its type asks for", () => {
    const wrong = (type: string, data: JsonObject = {}, metadata: JsonObject = {}) =>
      textsOf(validateSecret(made("Secret", { type, data }, metadata), undefined));
    expect(wrong("Opaque")).toEqual([]);
    expect(wrong("kubernetes.io/service-account-token")).toEqual([
      "metadata.annotations[kubernetes.io/service-account.name]: Required value",
    ]);
    const annotations = { "kubernetes.io/service-account.name": "x" };
    expect(wrong("kubernetes.io/service-account-token", {}, { annotations })).toEqual([]);
    expect(wrong("kubernetes.io/basic-auth")).toEqual([
      "data[username]: Required value",
      "data[password]: Required value",
    ]);
    expect(wrong("kubernetes.io/basic-auth", { password: "" })).toEqual([]);
    expect(wrong("kubernetes.io/ssh-auth", { "ssh-privatekey": "" })).toEqual(["data[ssh-privatekey]: Required value"]);
    expect(wrong("kubernetes.io/tls", { "tls.crt": "" })).toEqual(["data[tls.key]: Required value"]);
    expect(wrong("kubernetes.io/dockerconfigjson")).toEqual(["data[.dockerconfigjson]: Required value"]);
    expect(wrong("kubernetes.io/dockercfg", { ".dockercfg": encode("[]") })).toEqual([
      'data[.dockercfg]: Invalid value: "<secret contents redacted>": ' +
        "json: cannot unmarshal array into Go value of type map[string]interface {}",
    ]);
    expect(wrong("kubernetes.io/dockercfg", { ".dockercfg": encode("{}") })).toEqual([]);
  });

  // The answers of kube-apiserver 1.34.4.
  it.each([
    ["", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ["{} x", "invalid character 'x' after top-level value"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ["xx", "invalid character 'x' looking for beginning of value"],
  ])("names the place where %s is no JSON", (text, fault) => {
    const data = { ".dockerconfigjson": encode(text) };
    const errors = validateSecret(made("Secret", { type: "kubernetes.io/dockerconfigjson", data }), undefined);
    expect(textsOf(errors)).toEqual([`data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ${fault}`]);
  });

  it("keeps its type", () => {
    const errors = validateSecret(made("Secret", { type: "b" }), made("Secret", { type: "a" }));
    expect(textsOf(errors)).toEqual(['type: Invalid value: "b": field is immutable']);
  });
});

describe("small kinds", () => {
  it("reports what is wrong with a Lease", () => {
    const lease = made("Lease", { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } });
    expect(textsOf(validateLease(lease))).toEqual([
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ]);
    expect(validateLease(made("Lease", { spec: { leaseDurationSeconds: 1, leaseTransitions: 0 } }))).toEqual([]);
  });

  it("keeps a PriorityClass, and the highest ones for the system", () => {
    const pc = (name: string, value: number, more: JsonObject = {}) =>
      made("PriorityClass", { value, ...more }, { name });
    expect(textsOf(validatePriorityClass(pc("mine", 1_000_000_001), undefined))).toEqual([
      "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
    ]);
    expect(validatePriorityClass(pc("system-node-critical", 2_000_001_000), undefined)).toEqual([]);
    expect(textsOf(validatePriorityClass(pc("system-mine", 1), undefined))).toEqual([
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. " +
        "error: system-mine is not a known system priority class",
    ]);
    expect(textsOf(validatePriorityClass(pc("a", 2, { preemptionPolicy: "Never" }), pc("a", 1)))).toEqual([
      "value: Forbidden: may not be changed in an update.",
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ]);
  });

  it("lets a Namespace be Terminating only while it is", () => {
    const context = { now: "", user: { username: "a", groups: [] }, warnings: [], subresource: "status" };
    const namespace = (phase: string, metadata: JsonObject = {}) => made("Namespace", { status: { phase } }, metadata);
    expect(validateNamespace(namespace("Active"), namespace("Active"), context)).toEqual([]);
    expect(textsOf(validateNamespace(namespace("Terminating"), namespace("Active"), context))).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
  });
});

describe("an Event", () => {
  it("is in the namespace of what it is about", () => {
    const about = (namespace: string) => made("Event", { involvedObject: { namespace } });
    expect(validateCoreEvent(about("shop"))).toEqual([]);
    expect(textsOf(validateCoreEvent(about("other")))).toEqual([
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ]);
  });

  it("is held to more in its new form", () => {
    const event = (more: JsonObject = {}) =>
      made("Event", {
        regarding: { namespace: "shop" },
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "example.com/robot",
        reportingInstance: "robot-1",
        action: "Look",
        reason: "Seen",
        type: "Normal",
        ...more,
      });
    expect(validateNewEvent(event(), undefined)).toEqual([]);
    expect(textsOf(validateNewEvent(event({ type: "Other", deprecatedCount: 1, action: "" }), undefined))).toEqual([
      "action: Required value",
      'type: Invalid value: "": has invalid value: Other',
      'count: Invalid value: "": needs to be unset',
    ]);
    expect(textsOf(validateNewEvent(event({ note: "new", series: { count: 1 } }), event({ note: "old" })))).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      "series.lastObservedTime: Required value",
      'message: Invalid value: "new": field is immutable',
    ]);
  });
});
