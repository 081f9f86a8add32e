import type { Request } from "./replay.ts";

const maps = "/api/v1/namespaces/NS/configmaps";
const things = "/apis/GROUP/v1/namespaces/NS/things";
const merge = "application/merge-patch+json";

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
const owners: readonly (readonly object[])[] = [
  ..."a/b/c / a/ a//".split(" ").map((apiVersion) => [{ ...owner, apiVersion }]),
  [{ ...owner, kind: "Event", controller: false, blockOwnerDeletion: true }],
  [
    { blockOwnerDeletion: true, controller: true, ...owner },
    { controller: true, ...owner, uid: "v" },
  ],
  [{}],
];

const metadata: readonly object[] = [
  ...[-1, 0, 1, 7].map((generation) => ({ generation })),
  { labels: { a: "b\u0001\u00a0\u200b\u007f" } },
  { finalizers: ["a/b\u0007"] },
];

/** Metadata that clients send with new objects, right or wrong. */
export const metadataRequests: readonly Request[] = [
  // Only tried: the garbage collector takes what has no owner.
  ...owners.map((ownerReferences): Request => ({
    method: "POST",
    path: `${maps}?dryRun=All`,
    body: { metadata: { name: "owned", ownerReferences } },
  })),
  ...["-", "a-", "--", "-a-"].map((generateName): Request => ({
    method: "POST",
    path: `${maps}?dryRun=All`,
    // Whatever is generated, it has more than one fault.
    body: { metadata: { generateName, name: "_" } },
  })),
  ...metadata.flatMap((fields, index): Request[] => {
    const name = `m${index}`;
    const thing = { apiVersion: "GROUP/v1", kind: "Thing", metadata: { name, ...fields }, spec: { size: 1 } };
    return [
      { method: "POST", path: maps, body: { metadata: { name, ...fields } } },
      { method: "POST", path: things, body: thing },
      {
        method: "PATCH",
        path: `${maps}/${name}`,
        body: { metadata: { generation: 3 }, data: { a: "b" } },
        contentType: merge,
      },
      { method: "DELETE", path: `${maps}/${name}` },
    ];
  }),
  ...["%01", "a%C2%A0", "%7F", "%E2%80%8B", "%C3%A9%C2%A0", "x".repeat(129), "%C3%A9".repeat(65)].map(
    (manager): Request => ({
      method: "POST",
      path: `${maps}?fieldManager=${manager}`,
      body: { metadata: { name: "managed" } },
    }),
  ),
];
