import type { Request } from "./replay.ts";

const things = "/apis/GROUP/v1/namespaces/NS/things/a";
const maps = "/api/v1/namespaces/NS/configmaps/a";

function apply(path: string, manager: string, rest: object, options = ""): Request {
  const { apiVersion, kind } = path === maps ? mapType : thingType;
  return {
    method: "PATCH",
    path: `${path}?fieldManager=${manager}${options}`,
    contentType: "application/apply-patch+yaml",
    body: { apiVersion, kind, metadata: { name: "a" }, ...rest },
  };
}

const mapType = { apiVersion: "v1", kind: "ConfigMap" };
const thingType = { apiVersion: "GROUP/v1", kind: "Thing" };

/** Applies that take the last item of a list or map. Of it null remains, which a custom kind may refuse. */
export const emptyingRequests: readonly Request[] = [
  apply(things, "one", { spec: { size: 1, ports: [{ name: "a" }], map: { x: "1" }, tags: ["a"] } }),
  {
    method: "PATCH",
    path: `${things}?fieldManager=one`,
    contentType: "application/merge-patch+json",
    body: { spec: { ports: [{ name: "a", number: 2 }] } },
  },
  apply(things, "one", { spec: { size: 1, ports: [], map: { x: "1" }, tags: ["a"] } }, "&dryRun=All"),
  apply(things, "one", { spec: { size: 1, ports: [{ name: "a" }], map: {}, tags: ["a"] } }),
  apply(things, "one", { spec: { size: 1, ports: [{ name: "a" }], map: { x: "1" }, tags: [] } }),
  apply(things, "one", { spec: { size: 1, ports: [{ name: "a" }] } }),
  apply(things, "one", { spec: { size: 1 } }),
  apply(things, "two", { spec: { map: null } }),
  apply(things, "two", { spec: { tags: null } }),
  apply(things, "two", { spec: { mode: null } }),
  apply(things, "two", { spec: { either: null } }),
  apply(things, "two", { spec: { plain: null } }),
  apply(maps, "one", { data: { a: "1" } }),
  apply(maps, "one", { data: {} }),
  apply(maps, "two", { data: null }),
  { method: "GET", path: things },
  { method: "GET", path: maps },
];
