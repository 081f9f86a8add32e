import { apiServiceRequests } from "./api-service-requests.ts";
import { emptyingRequests } from "./apply-requests.ts";
import { autoscalerRequests } from "./autoscaler-requests.ts";
import { deleteBodyRequests, halfCharacterRequests, patchBodyRequests, typelessRequests } from "./body-requests.ts";
import { costRequests } from "./cost-requests.ts";
import { customKindRequests } from "./custom-kind-requests.ts";
import { faultRequests, wordRequests } from "./definition-faults.ts";
import { approvalRequests, statusRequests, versionRequests, warningRequests } from "./definition-requests.ts";
import { evictionRequests, mirrorRequests } from "./eviction-requests.ts";
import {
  dryRunRequests,
  eventDeletes,
  fieldRequests,
  otherUidRequests,
  rareOptionRequests,
  timeoutRequests,
  numberSelectorRequests,
  versionTextRequests,
} from "./option-requests.ts";
import { metadataRequests } from "./metadata-requests.ts";
import { bindingRequests, graceRequests, sysctlRequests } from "./pod-requests.ts";
import type { Request } from "./replay.ts";
import { reviewRequests } from "./review-requests.ts";
import { revisionRequests } from "./revision-requests.ts";
import { classRequests } from "./runtime-class-requests.ts";
import { storageRequests } from "./storage-requests.ts";
import { warnedRequests } from "./warning-requests.ts";
import { strategicRequests } from "./strategic-requests.ts";
import { tableRequests } from "./table-requests.ts";
import { changedKindRequests, keptFieldRequests, roleReferenceRequests } from "./update-requests.ts";

/** Handwritten requests, each list on a namespace of its own. */
export interface WrittenSequence {
  readonly name: string;
  readonly requests: readonly WrittenRequest[];
}

export interface WrittenRequest extends Request {
  /** What is compared. `owners`: of an object that controllers write too, who owns what, without them. Default: all. */
  readonly view?: "owners";
}

const apply = "application/apply-patch+yaml";
const merge = "application/merge-patch+json";
const deployments = "/apis/apps/v1/namespaces/NS/deployments";
const scalings = "/apis/GROUP/v1/namespaces/NS/scalings";
const maps = "/api/v1/namespaces/NS/configmaps";
const pods = "/api/v1/namespaces/NS/pods";
const things = "/apis/GROUP/v1/namespaces/NS/things";

function pod(spec: object): object {
  return { metadata: { name: "a" }, spec: { containers: [{ name: "main", image: "none" }], ...spec } };
}

/** Paused, so that its status stays as it is. */
function deployment(replicas?: number): object {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a" },
    spec: {
      paused: true,
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "main", image: "none" }] } },
    },
  };
}

function scaling(replicas?: number): object {
  const spec = { ...(replicas === undefined ? {} : { size: { replicas } }), note: "x" };
  return { apiVersion: "GROUP/v1", kind: "Scaling", metadata: { name: "a" }, spec };
}

function scale(replicas: unknown, other: object = {}): object {
  return { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas }, ...other };
}

function patch(path: string, contentType: string, body: object | string): WrittenRequest {
  return { method: "PATCH", path, contentType, body };
}

/** Who takes and gives up the number of replicas, by way of the object and of its Scale. */
function scaleRequests(collection: string, object: (replicas?: number) => object): WrittenRequest[] {
  const path = `${collection}/a`;
  const steps: WrittenRequest[] = [
    patch(`${path}?fieldManager=owner`, apply, object(1)),
    patch(`${path}/scale?fieldManager=scaler`, apply, scale(3)),
    patch(`${path}/scale?fieldManager=scaler&force=true&dryRun=All`, apply, scale(3)),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale(3)),
    patch(`${path}/scale?fieldManager=scaler`, apply, scale(4)),
    patch(`${path}/scale?fieldManager=second`, apply, scale(4)),
    patch(`${path}/scale?fieldManager=second`, apply, scale(5)),
    patch(`${path}?fieldManager=owner`, apply, object(9)),
    patch(`${path}?fieldManager=owner`, apply, object(4)),
    patch(`${path}/scale?fieldManager=second`, apply, scale(undefined)),
    patch(`${path}?fieldManager=owner`, apply, object()),
    patch(`${path}/scale?fieldManager=merger`, merge, { spec: { replicas: 6 } }),
    patch(`${path}/scale?fieldManager=other`, merge, { spec: { replicas: 6 } }),
    { method: "PUT", path: `${path}/scale?fieldManager=putter`, body: scale(7) },
    patch(`${path}/scale?fieldManager=scaler`, apply, scale(2)),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale(2)),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale(0)),
    patch(`${path}/scale?fieldManager=scaler`, apply, scale(undefined)),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale(-1)),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale("x")),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale(1, { foo: 1 })),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale(1, { kind: "Scales" })),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale(1, { metadata: { name: "b" } })),
    patch(`${path}/scale?fieldManager=scaler&force=true`, apply, scale(1, { metadata: {} })),
    patch(`${path}/scale?force=true`, apply, scale(1)),
    patch(`${collection}/absent/scale?fieldManager=scaler`, apply, scale(1, { metadata: { name: "absent" } })),
  ];
  return steps.flatMap((step) => [
    { ...step, view: "owners" as const },
    { method: "GET", path, view: "owners" },
  ]);
}

const scalingCrd: Request = {
  method: "POST",
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  body: {
    metadata: { name: "scalings.GROUP" },
    spec: {
      group: "GROUP",
      scope: "Namespaced",
      names: { plural: "scalings", kind: "Scaling" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { scale: { specReplicasPath: ".spec.size.replicas", statusReplicasPath: ".status.replicas" } },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    note: { type: "string" },
                    size: { type: "object", properties: { replicas: { type: "integer" } } },
                  },
                },
              },
            },
          },
        },
      ],
    },
  },
};

/** An Event without a reporter, which only core Events name all the same. */
const event = {
  metadata: { name: "a" },
  involvedObject: { kind: "Pod", namespace: "NS", name: "p" },
  reason: "Tested",
  message: "m",
  type: "Normal",
  count: 3,
  source: { component: "c" },
};
const newEvent = {
  metadata: { name: "b" },
  regarding: { kind: "Pod", namespace: "NS", name: "p" },
  reason: "Tested",
  note: "m",
  type: "Normal",
  action: "Test",
  eventTime: "2020-01-01T00:00:00.000000Z",
  reportingController: "example.org/c",
  reportingInstance: "i",
};
const events = "/api/v1/namespaces/NS/events";
const newEvents = "/apis/events.k8s.io/v1/namespaces/NS/events";

const get = (path: string): WrittenRequest => ({ method: "GET", path });

/** Paths that nothing serves: some are refused with a Status, some with a page of text. */
const unknownPaths = [
  ..."/nope /api/v1/nope /api/v2 /api/v2/pods /apis/none.example.org /apis/none.example.org/v1/things".split(" "),
  ..."/apis/none.example.org/v1/namespaces/NS/things/x /apis/apps/v2 /apis/apps/v1/nope /apis/apps/v2/deployments".split(
    " ",
  ),
  ..."/healthz/nope /livez/nope /openapi/v4 /version/x /logs /apis//v1/pods".split(" "),
  ..."/apis/GROUP/v9 /apis/GROUP/v9/things /apis/GROUP/v1/nope /apis/GROUP/v1/things/x/nope".split(" "),
  "/apis/GROUP/v1/namespaces/NS/things/x/nope",
  "/api/v1/namespaces/NS/configmaps/x/nope",
];

const continueTokens: readonly unknown[] = [
  {},
  [],
  null,
  1,
  "a",
  { v: "x", rv: 1, start: "a" },
  { v: 1, rv: 1, start: "a" },
  { v: "meta.k8s.io/v1" },
  { v: "meta.k8s.io/v1", rv: "1", start: "a" },
  { v: "meta.k8s.io/v1", rv: 1.5, start: "a" },
  { v: "meta.k8s.io/v1", rv: 0, start: "a" },
  { v: "meta.k8s.io/v1", rv: 1, start: 1 },
  { v: "meta.k8s.io/v1", rv: 1, start: "../a" },
  { v: "meta.k8s.io/v1", rv: 1, start: "a/../b" },
  { v: "meta.k8s.io/v1", rv: -1, start: "zzz/..a" },
];
const badTokens = [
  ..."abc !! eyJ2Ijoi YWJj%3D IA A".split(" "),
  ...continueTokens.map((token) => Buffer.from(JSON.stringify(token)).toString("base64url")),
];

const badOptions = [
  ..."timeoutSeconds=abc timeoutSeconds=1.5 timeoutSeconds=99999999999999999999 limit=abc".split(" "),
  ..."watch=1&timeoutSeconds=abc watch=1&timeoutSeconds= watch=1&timeoutSeconds=1&continue=abc".split(" "),
  ..."watch=1&timeoutSeconds=1&resourceVersion=0&continue=abc watch=1&resourceVersion=abc resourceVersion=-1".split(
    " ",
  ),
  ..."resourceVersionMatch=Exact resourceVersionMatch=x&resourceVersion=1 limit=1&resourceVersion=1&continue=abc".split(
    " ",
  ),
];

const twice = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: b\n  a: c\n";
const twiceInJson = '{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b","a":"c"}}';

export const writtenSequences: readonly WrittenSequence[] = [
  { name: "rules that could cost too much", requests: costRequests },
  { name: "defaults of status", requests: statusRequests },
  { name: "fields of one version", requests: versionRequests },
  { name: "warnings of a definition and its objects", requests: warningRequests },
  { name: "approvals of an API", requests: approvalRequests },
  { name: "the Scale of a Deployment", requests: scaleRequests(deployments, deployment) },
  { name: "the Scale of a custom kind", requests: [scalingCrd, ...scaleRequests(scalings, scaling)] },
  {
    name: "patches that change the kind",
    requests: [
      { method: "POST", path: maps, body: { metadata: { name: "a" }, data: { a: "b" } } },
      patch(`${maps}/a`, merge, { kind: "Foo" }),
      patch(`${maps}/a`, merge, { apiVersion: "apps/v1" }),
      patch(`${maps}/a`, merge, { kind: null }),
      patch(`${maps}/a`, "application/strategic-merge-patch+json", { kind: "Foo" }),
      patch(`${maps}/a`, "application/json-patch+json", [{ op: "remove", path: "/kind" }]),
      {
        method: "POST",
        path: things,
        body: { apiVersion: "GROUP/v1", kind: "Thing", metadata: { name: "a" }, spec: { size: 1 } },
      },
      patch(`${things}/a`, merge, { kind: "Foo" }),
      patch(`${things}/a`, merge, { kind: null }),
      patch(`${things}/a`, merge, { apiVersion: "x/v1" }),
      patch(`${things}/a`, merge, { apiVersion: null }),
    ],
  },
  {
    name: "intents with a duplicate field",
    requests: ["Strict", "Warn", "Ignore"].flatMap((validation) => [
      { method: "POST", path: maps, body: { metadata: { name: validation.toLowerCase() }, data: { a: "x" } } },
      ...[twice, twiceInJson].flatMap((body) => [
        patch(`${maps}/${validation.toLowerCase()}?fieldManager=one&fieldValidation=${validation}`, apply, body),
        patch(
          `${maps}/${validation.toLowerCase()}?fieldManager=one&fieldValidation=${validation}&force=true`,
          apply,
          body,
        ),
        patch(`${maps}/new-${validation.toLowerCase()}?fieldManager=one&fieldValidation=${validation}`, apply, body),
      ]),
      patch(`${maps}/a?fieldManager=one&fieldValidation=${validation}`, apply, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { managedFields: [] },
      }),
    ]),
  },
  {
    name: "Pods of an unknown RuntimeClass",
    requests: [
      { method: "POST", path: "/api/v1/namespaces/NS/serviceaccounts", body: { metadata: { name: "default" } } },
      { method: "POST", path: pods, body: pod({ runtimeClassName: "gvisor" }) },
      { method: "POST", path: pods, body: pod({ runtimeClassName: "Not_A_Name" }) },
      { method: "POST", path: pods, body: pod({ runtimeClassName: "gvisor", priorityClassName: "absent" }) },
      { method: "POST", path: pods, body: pod({ runtimeClassName: "gvisor", serviceAccountName: "absent" }) },
    ],
  },
  { name: "Pods of a RuntimeClass", requests: classRequests },
  { name: "autoscalers in both of their forms", requests: autoscalerRequests },
  { name: "APIServices", requests: apiServiceRequests },
  { name: "what describes storage", requests: storageRequests },
  { name: "ControllerRevisions", requests: revisionRequests },
  { name: "dry runs requested in wrong ways", requests: dryRunRequests },
  { name: "deletes with bodies that are no options", requests: deleteBodyRequests },
  { name: "bodies whose type cannot be read", requests: typelessRequests },
  { name: "halves of characters", requests: halfCharacterRequests },
  { name: "patches that cannot be read", requests: patchBodyRequests },
  { name: "deletes of Events", requests: eventDeletes },
  { name: "rare options of lists and reads", requests: rareOptionRequests },
  { name: "lists that select by fields", requests: fieldRequests },
  { name: "times that requests may take", requests: timeoutRequests },
  { name: "writes with the uid of another object", requests: otherUidRequests },
  { name: "reviews and tokens", requests: reviewRequests },
  { name: "versions that are no numbers", requests: versionTextRequests },
  { name: "numbers of label selectors", requests: numberSelectorRequests },
  { name: "applies that empty lists and maps", requests: emptyingRequests },
  { name: "evictions of Pods without a node", requests: evictionRequests },
  { name: "definitions with faults", requests: faultRequests },
  { name: "rules over properties with names of the language", requests: wordRequests },
  { name: "verbs and bodies of a custom kind", requests: customKindRequests },
  { name: "tables of a custom kind", requests: tableRequests },
  { name: "metadata of new objects", requests: metadataRequests },
  { name: "updates that change what a kind depends on", requests: changedKindRequests },
  { name: "fields that are not stored as they are sent", requests: keptFieldRequests },
  { name: "strategic merge patches of other types", requests: strategicRequests },
  { name: "what is taken with a warning", requests: warnedRequests },
  { name: "bindings to roles that do not exist", requests: roleReferenceRequests },
  { name: "debug containers of a mirrored Pod", requests: mirrorRequests },
  { name: "Pods that get a Node", requests: bindingRequests },
  { name: "kernel parameters of Pods", requests: sysctlRequests },
  { name: "grace periods below zero", requests: graceRequests },
  {
    name: "paths that nothing serves",
    requests: unknownPaths.flatMap((path) => [get(path), { method: "POST", path, body: {} }]),
  },
  {
    name: "options and tokens of lists that are refused",
    requests: [
      ...badOptions.map((query) => get(`${maps}?${query}`)),
      ...badTokens.map((token) => get(`${maps}?limit=1&continue=${token}`)),
    ],
  },
  {
    name: "Events in both forms",
    requests: [
      { method: "POST", path: events, body: event },
      { method: "GET", path: `${newEvents}/a` },
      { method: "POST", path: newEvents, body: newEvent },
      { method: "GET", path: `${events}/b` },
      patch(`${newEvents}/b`, merge, { series: { count: 2, lastObservedTime: "2020-01-01T00:00:01.000000Z" } }),
      patch(`${newEvents}/b`, merge, { note: "other" }),
      { method: "DELETE", path: newEvents },
    ],
  },
];
