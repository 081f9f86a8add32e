import type { Request } from "./replay.ts";

const revisions = "/apis/apps/v1/namespaces/NS/controllerrevisions";
const one = { metadata: { name: "a" }, data: { a: "b", c: [1] }, revision: 1 };

function patched(type: string, body: object): Request {
  return { method: "PATCH", path: `${revisions}/a`, contentType: `application/${type}-patch+json`, body };
}

/** ControllerRevisions: what is wrong with them, and what a change keeps. */
export const revisionRequests: readonly Request[] = [
  ...[
    {},
    { data: undefined },
    { data: null },
    { data: [] },
    { data: "a" },
    { data: {} },
    { revision: -1 },
    { revision: undefined },
    { metadata: { name: "A" } },
    { metadata: { name: "a", generation: 3 } },
  ].map((change): Request => ({ method: "POST", path: `${revisions}?dryRun=All`, body: { ...one, ...change } })),
  { method: "POST", path: revisions, body: one },
  patched("merge", { revision: 2 }),
  patched("merge", { revision: -2 }),
  patched("merge", { data: { a: "c" } }),
  patched("merge", { data: null }),
  patched("strategic-merge", { data: { a: "b" }, revision: 3 }),
  patched("strategic-merge", { data: { d: "e" } }),
  { method: "PUT", path: `${revisions}/a`, body: { ...one, revision: 4 } },
  { method: "PUT", path: `${revisions}/a`, body: { ...one, data: {} } },
  {
    method: "PATCH",
    path: `${revisions}/a?fieldManager=b`,
    contentType: "application/apply-patch+yaml",
    body: { apiVersion: "apps/v1", kind: "ControllerRevision", ...one, revision: 4 },
  },
  { method: "GET", path: `${revisions}/a` },
  { method: "DELETE", path: `${revisions}/a` },
];
