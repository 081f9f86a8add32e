import { describe, expect, it } from "vitest";
import type { AdmissionRequest } from "../../../../src/embedded-hub/operations/admission.ts";
import type { OperationContext, Target } from "../../../../src/embedded-hub/operations/operations.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, configMap, contextOf, refusalOf } from "../controllers/hub-world.ts";
import type { MemoryHub } from "./memory-hub.ts";
import { startMemoryHub } from "./memory-hub.ts";

/** What admission was asked, without what every request has. */
interface Seen {
  readonly call: "mutate" | "validate" | "assign" | "release" | "charge" | "stored" | "not stored";
  readonly operation?: string;
  readonly place?: string;
  readonly options?: unknown;
  /** Versions of the object and of the old one; "-" where the object has none yet. */
  readonly object?: string;
  readonly old?: string;
}

function versionOf(object: KubeObject | undefined): string | undefined {
  return object === undefined ? undefined : (object.metadata.resourceVersion ?? "-");
}

function seenOf(call: Seen["call"], request: Partial<AdmissionRequest>): Seen {
  const { operation, namespace = "", name = "", subresource = "", options, object, oldObject, annotate } = request;
  annotate?.(`seen-by-${call}`, name);
  const [shown, old] = [versionOf(object), versionOf(oldObject)];
  return {
    ...{ call, place: [namespace, name, subresource].join("/") },
    ...(operation === undefined ? {} : { operation }),
    ...(options === undefined ? {} : { options }),
    ...(shown === undefined ? {} : { object: shown }),
    ...(old === undefined ? {} : { old }),
  };
}

async function startWatchedHub(): Promise<MemoryHub & { readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const hub = await startMemoryHub([], {
    mutate: (request) => {
      seen.push(seenOf("mutate", request));
      return request.object;
    },
    validate: (request) => void seen.push(seenOf("validate", request)),
    assign: (request) => {
      seen.push(seenOf("assign", request));
      return request.object;
    },
    release: (object) => void seen.push(seenOf("release", { object })),
    charge: (request) => {
      seen.push(seenOf("charge", request));
      return Promise.resolve((isStored) => void seen.push({ call: isStored ? "stored" : "not stored" }));
    },
  });
  return { ...hub, seen };
}

const meta = { apiVersion: "meta.k8s.io/v1", fieldManager: "test", fieldValidation: "Strict" };
const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };

interface Case {
  readonly name: string;
  readonly run: (hub: MemoryHub, context: OperationContext, target: Target) => Promise<unknown>;
  readonly context?: Partial<OperationContext>;
  readonly expected: readonly Seen[];
}

const patch = { kind: "merge", patch: { data: { a: "2" } } } as const;
const created = { place: "shop/b/", operation: "CREATE", object: "-", options: { kind: "CreateOptions", ...meta } };
const changed = { place: "shop/a/", operation: "UPDATE", object: "1", old: "1" };
const assigned = { place: "//", object: "-" };
const again = { place: "//", object: "1" };
const deleted = { call: "validate", operation: "DELETE", old: "1" } as const;
const options = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" };

const cases: readonly Case[] = [
  {
    name: "a create",
    run: ({ operations }, context, { definition }) =>
      operations.create(context, { definition, namespace: "shop" }, configMap("b")),
    expected: [
      { call: "mutate", ...created },
      { call: "assign", ...assigned },
      { call: "validate", ...created },
      { call: "charge", ...created },
      { call: "stored" },
      { call: "release", ...assigned },
    ],
  },
  {
    name: "a create of what exists, as a dry run",
    run: ({ operations }, context, { definition }) =>
      refusalOf(operations.create(context, { definition, namespace: "shop" }, configMap("a"))),
    context: { isDryRun: true },
    expected: [
      { call: "mutate", ...created, place: "shop/a/", options: { ...created.options, dryRun: ["All"] } },
      { call: "assign", ...assigned },
      { call: "validate", ...created, place: "shop/a/", options: { ...created.options, dryRun: ["All"] } },
      { call: "charge", ...created, place: "shop/a/", options: { ...created.options, dryRun: ["All"] } },
      { call: "not stored" },
      { call: "release", ...assigned },
    ],
  },
  {
    name: "a create outside of namespaces",
    run: ({ operations, definitionOf }, context) =>
      operations.create(context, { definition: definitionOf("v1", "Namespace") }, space),
    expected: (["mutate", "assign", "validate", "charge", "stored", "release"] as const).map((call) => {
      if (call === "stored") return { call };
      return call === "assign" || call === "release" ? { call, ...assigned } : { call, ...created, place: "/n/" };
    }),
  },
  {
    name: "an update",
    run: ({ operations }, context, target) =>
      operations.update(context, target, { ...configMap("a"), data: { a: "2" } }),
    expected: [
      { call: "mutate", ...changed, object: "-", options: { kind: "UpdateOptions", ...meta } },
      { call: "assign", ...again, old: "1" },
      { call: "validate", ...changed, options: { kind: "UpdateOptions", ...meta } },
      { call: "charge", ...changed, options: { kind: "UpdateOptions", ...meta } },
      { call: "stored" },
      { call: "release", ...again },
    ],
  },
  {
    name: "a patch",
    run: ({ operations }, context, target) => operations.patch(context, target, patch),
    expected: [
      { call: "mutate", ...changed, options: { kind: "PatchOptions", ...meta } },
      { call: "assign", ...again, old: "1" },
      { call: "validate", ...changed, options: { kind: "PatchOptions", ...meta } },
      { call: "charge", ...changed, options: { kind: "PatchOptions", ...meta } },
      { call: "stored" },
      { call: "release", ...again },
    ],
  },
  {
    name: "a patch of status",
    run: async ({ operations, definitionOf }, context) => {
      const definition = definitionOf("v1", "Namespace");
      await operations.create({ ...contextOf(administrator), isUntracked: true }, { definition }, space);
      const target = { definition, name: "n", subresource: "status" };
      return operations.patch(context, target, { kind: "merge", patch: { status: { phase: "Active" } } });
    },
    expected: [
      ...["mutate", "validate", "charge"].map((call) => ({
        ...{ call: call as "mutate", place: "/n/status", operation: "UPDATE", object: "2", old: "2" },
        options: { kind: "PatchOptions", ...meta },
      })),
      { call: "stored" },
    ],
  },
  {
    name: "an apply that creates",
    run: ({ operations }, context, target) =>
      operations.patch(context, { ...target, name: "b" }, { kind: "apply", object: configMap("b"), isForced: false }),
    expected: [
      { call: "mutate", ...created, options: { kind: "PatchOptions", ...meta } },
      { call: "assign", ...assigned },
      { call: "validate", ...created, options: { kind: "PatchOptions", ...meta } },
      { call: "charge", ...created, options: { kind: "PatchOptions", ...meta } },
      { call: "stored" },
      { call: "release", ...assigned },
    ],
  },
  {
    name: "a delete with every option",
    run: ({ operations }, context, target) =>
      operations.delete(context, target, {
        preconditions: { resourceVersion: "1" },
        ...{ propagationPolicy: "Background", orphanDependents: false, gracePeriodSeconds: 3 },
      }),
    context: { isDryRun: true },
    expected: [
      {
        ...{ ...deleted, place: "shop/a/" },
        options: {
          ...{ ...options, preconditions: { resourceVersion: "1" }, propagationPolicy: "Background" },
          ...{ orphanDependents: false, gracePeriodSeconds: 3, dryRun: ["All"] },
        },
      },
    ],
  },
  {
    name: "a delete without any",
    run: ({ operations }, context, target) => operations.delete(context, target, {}),
    expected: [{ ...deleted, place: "shop/a/", options }],
  },
  {
    name: "a delete of a collection, which has no name",
    run: ({ operations }, context, { definition }) =>
      operations.deleteCollection(
        context,
        { definition, namespace: "shop" },
        { query: { namespace: "shop" }, options: {} },
      ),
    expected: [{ ...deleted, place: "shop//", options }],
  },
];

describe("what admission sees", () => {
  it.each(cases)("of $name", async ({ run, context = {}, expected }) => {
    const hub = await startWatchedHub();
    const { operations, seen } = hub;
    const target = { definition: hub.definitionOf("v1", "ConfigMap"), namespace: "shop", name: "a" };
    await operations.create({ ...contextOf(administrator), isUntracked: true }, target, configMap("a"));
    seen.length = 0;
    const notes: string[] = [];
    const annotate = (key: string): void => void notes.push(key);
    await run(hub, { ...contextOf(administrator), annotate, ...context }, target);
    const own = seen.slice(-expected.length);
    expect(own).toEqual(expected);
    const calls = own.flatMap(({ call }) => (["mutate", "validate", "charge"].includes(call) ? [call] : []));
    const isDelete = own.some(({ operation }) => operation === "DELETE");
    expect(notes).toEqual(isDelete ? [] : calls.map((call) => `seen-by-${call}`));
  });

  it("asks a subresource that stores nothing for its answer, and refuses others", async () => {
    const { operations, definitionOf } = await startMemoryHub();
    const pods = { definition: definitionOf("v1", "Pod"), namespace: "shop", name: "p" };
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
    const context = contextOf(administrator);
    expect((await operations.create(context, { ...pods, subresource: "eviction" }, body)).kind).toBe("Answer");
    const refusals = [
      operations.create(context, { ...pods, subresource: "status" }, body),
      operations.create(context, { definition: definitionOf("authorization.k8s.io/v1", "SubjectAccessReview") }, body),
    ];
    for (const refusal of refusals) {
      expect(await refusalOf(refusal)).toBe("the server does not allow this method on the requested resource");
    }
  });
});
