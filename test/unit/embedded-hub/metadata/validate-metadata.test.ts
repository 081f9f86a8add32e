import { describe, expect, it } from "vitest";
import { checkSubdomain } from "../../../../src/core/formats/kube-names.ts";
import {
  validateKubeFinalizers,
  validateMetadata,
  validateMetadataUpdate,
  warnOfFinalizers,
} from "../../../../src/embedded-hub/metadata/validate-metadata.ts";
import type { FieldError } from "../../../../src/embedded-hub/schema/schema.ts";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../../../src/model/kubernetes.ts";

function objectOf(metadata: Partial<ObjectMeta>): KubeObject {
  const named = metadata.generateName === undefined ? { name: "a" } : {};
  return { apiVersion: "v1", kind: "A", metadata: { ...named, ...metadata } as ObjectMeta };
}

/** Field and problem: what kube-apiserver 1.34.4 names, too, without what an admissible name is. */
function shown(errors: readonly FieldError[]): readonly string[] {
  return errors.map(
    ({ field, message }) => `${field.replace("metadata.", "")} ${message.split(/: (?:a|name part) /u)[0] ?? ""}`,
  );
}

function owner(change: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: "v1", kind: "Pod", name: "a", uid: "u", ...change };
}

const large = "x".repeat(256 * 1024 - 1);
const tooLong = "annotations Too long: may not be more than 262144 bytes";
const noVersion = (text: string) => `ownerReferences.apiVersion Invalid value: "${text}": version must not be empty`;
const empty = (field: string) => `ownerReferences.${field} Invalid value: "": must not be empty`;
const shownOwner = (name: string) => `{"apiVersion":"v1","kind":"Pod","name":"${name}","uid":"u","controller":true}`;
const controllers = (count: number) =>
  Array.from({ length: count }, (_, index) => owner({ name: `c${index}`, controller: true }));

describe("the metadata of an object", () => {
  it.each<readonly [Partial<ObjectMeta>, readonly string[]]>([
    [{}, []],
    [{ name: "" }, ["name Required value: name or generateName is required"]],
    [{ name: "A_" }, ['name Invalid value: "A_"']],
    [{ generateName: "a-", name: "a-x" }, []],
    [{ generateName: "a--", name: "a--x" }, []],
    [{ generateName: "a.-", name: "a.x" }, []],
    [{ generateName: "a.", name: "a.x" }, ['generateName Invalid value: "a."']],
    [{ generateName: "-", name: "x" }, ['generateName Invalid value: "-"']],
    [{ generateName: "A", name: "B" }, ['generateName Invalid value: "A"', 'name Invalid value: "B"']],
    [{ generation: -1 }, ["generation Invalid value: -1: must be greater than or equal to 0"]],
    [{ generation: 0 }, []],
    [{ labels: { a: "b", "x.org/y": "" } }, []],
    [{ labels: { a: "-", c: "d" } }, ['labels Invalid value: "-"']],
    [{ annotations: { "A/B": "-" } }, []],
    [{ finalizers: ["a/b", "foregroundDeletion"] }, []],
    [{ finalizers: ["orphan", "a/b"] }, []],
    [
      { finalizers: ["orphan", "foregroundDeletion"] },
      [
        'finalizers Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [{ finalizers: ["a/b", "x/y/z"] }, ['finalizers Invalid value: "x/y/z"']],
    [{ ownerReferences: [owner(), owner({ apiVersion: "apps/v1", controller: false, blockOwnerDeletion: true })] }, []],
    [{ ownerReferences: [owner({ apiVersion: "" })] }, [noVersion("")]],
    [{ ownerReferences: [owner({ apiVersion: "apps/" })] }, [noVersion("apps/")]],
    [{ ownerReferences: [owner({ apiVersion: "a/b/c" })] }, [noVersion("a/b/c")]],
    [
      { ownerReferences: [owner({ kind: "", uid: "" }), owner({ name: "" })] },
      [empty("kind"), empty("uid"), empty("name")],
    ],
    [
      { ownerReferences: [owner({ kind: "Event" })] },
      [
        'ownerReferences Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [{ ownerReferences: [owner({ kind: "Event", apiVersion: "events.k8s.io/v1" })] }, []],
    [
      { ownerReferences: controllers(2) },
      [
        `ownerReferences Invalid value: [${shownOwner("c0")},${shownOwner("c1")}]: Only one reference can have Controller set to true. Found "true" in references for Pod/c0 and Pod/c1`,
      ],
    ],
  ])("is valid or not: %j", (metadata, expected) => {
    expect(shown(validateMetadata(objectOf(metadata), false, checkSubdomain))).toEqual(expected);
  });

  it("has at most 256 KiB of annotations, with their keys, in bytes", () => {
    const problems = (annotations: Readonly<Record<string, string>>) =>
      shown(validateMetadata(objectOf({ annotations }), false, checkSubdomain));
    expect(problems({ a: large })).toEqual([]);
    expect(problems({ ab: large })).toEqual([tooLong]);
    expect(problems({ a: large, b: "" })).toEqual([tooLong]);
    expect(problems({ a: "é".repeat(128 * 1024) })).toEqual([tooLong]);
  });

  it("has a namespace where its kind has one, and nowhere else", () => {
    const problems = (isNamespaced: boolean, metadata: Partial<ObjectMeta>) =>
      shown(validateMetadata(objectOf(metadata), isNamespaced, checkSubdomain));
    expect(problems(true, { namespace: "shop" })).toEqual([]);
    expect(problems(true, {})).toEqual(["namespace Required value"]);
    expect(problems(true, { namespace: "a.b" })).toEqual(['namespace Invalid value: "a.b": must not contain dots']);
    expect(problems(false, { namespace: "shop" })).toEqual(["namespace Forbidden: not allowed on this type"]);
  });

  it("names three of many controllers: each of them repeats the whole list", () => {
    expect(validateMetadata(objectOf({ ownerReferences: controllers(9) }), false, checkSubdomain)).toHaveLength(3);
  });
});

describe("an update of metadata", () => {
  const old = { resourceVersion: "1", uid: "u", namespace: "shop", finalizers: ["a/b"] };
  const deleted = { ...old, deletionTimestamp: "t", deletionGracePeriodSeconds: 0 };
  const immutable = (field: string, value: string) => `${field} Invalid value: ${value}: field is immutable`;
  const added = (list: string) =>
    `finalizers Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;

  it.each<readonly [Partial<ObjectMeta>, Partial<ObjectMeta>, readonly string[]]>([
    [old, {}, []],
    [old, { generation: 9, labels: { a: "b" }, finalizers: ["c/d"] }, []],
    [old, { resourceVersion: "" }, ['resourceVersion Invalid value: "": must be specified for an update']],
    [old, { name: "b" }, [immutable("name", '"b"')]],
    [old, { namespace: "b" }, [immutable("namespace", '"b"')]],
    [old, { uid: "v" }, [immutable("uid", '"v"')]],
    [old, { creationTimestamp: "t" }, [immutable("creationTimestamp", '"t"')]],
    [old, { deletionTimestamp: "t" }, [immutable("deletionTimestamp", '"t"')]],
    [old, { deletionGracePeriodSeconds: 5 }, [immutable("deletionGracePeriodSeconds", "5")]],
    [old, { labels: { a: "-" } }, ['labels Invalid value: "-"']],
    [old, { annotations: { "a b": "" } }, ['annotations Invalid value: "a b"']],
    [old, { ownerReferences: [owner({ uid: "" })] }, [empty("uid")]],
    [deleted, {}, []],
    [deleted, { finalizers: [] }, []],
    [deleted, { finalizers: ["z/d", "c/d", "a/b"] }, [added('"c/d", "z/d"')]],
  ])("of %j by %j is valid or not", (before, change, expected) => {
    expect(shown(validateMetadataUpdate(objectOf({ ...before, ...change }), objectOf(before)))).toEqual(expected);
  });
});

describe("finalizers", () => {
  const finalizers = ["kubernetes", "orphan", "foregroundDeletion", "plain", "a/b", "other"];

  it("of a built-in kind are Kubernetes' own or have a domain", () => {
    const text = "name is neither a standard finalizer name nor is it fully qualified";
    expect(shown(validateKubeFinalizers(objectOf({ finalizers })))).toEqual([
      `finalizers[3] Invalid value: "plain": ${text}`,
      `finalizers[5] Invalid value: "other": ${text}`,
    ]);
    expect(validateKubeFinalizers(objectOf({}))).toEqual([]);
  });

  it("of a custom object without a domain are warned of, once", () => {
    const named = (old?: KubeObject) =>
      warnOfFinalizers(objectOf({ finalizers }), old).map((text) => text.split(": ")[1]);
    expect(named()).toEqual(['"plain"', '"other"']);
    expect(named(objectOf({ finalizers: ["plain"] }))).toEqual(['"other"']);
    expect(named(objectOf({}))).toEqual(['"plain"', '"other"']);
    expect(warnOfFinalizers(objectOf({}), undefined)).toEqual([]);
  });
});
