import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import { isPathNotFound } from "../../../../src/embedded-hub/failures/failures.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { findRoute } from "../../../../src/embedded-hub/request/find-route.ts";
import { readRequestInfo } from "../../../../src/embedded-hub/request/request-info.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";

/**
 * The operation, resource, namespace and name of each method of a path, or how it is refused; one text where all methods have the
 * same. kube-apiserver 1.34.4 serves and refuses the same ones, with these codes and messages; only 501 is this hub's own.
 */
type Routes = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const file = new URL("golden/routes.json", import.meta.url);
const routes = JSON.parse(readFileSync(file, "utf8")) as Routes;

const builtIn = builtInResources();
const base = builtIn.find(({ plural }) => plural === "clusterroles");
if (base === undefined) throw new Error("ClusterRoles are not served");
const gears: ResourceDefinition = { ...base, group: "example.org", plural: "gears", isCustom: true };
const status = { name: "status", verbs: ["get", "update", "patch"] };
const widgets: ResourceDefinition = { ...gears, plural: "widgets", isNamespaced: true, subresources: [status] };
const definitions = [...builtIn, gears, widgets];

function outcomeOf(method: string, path: string): string {
  const info = method === "WATCH" ? readRequestInfo("GET", `${path}?watch=true`) : readRequestInfo(method, path);
  if (info.kind !== "resource") throw new Error(`${path} is no resource`);
  const definition = definitions.find(
    ({ group, version, plural }) => group === info.group && version === info.version && plural === info.resource,
  );
  try {
    const { operation, namespace = "-", name = "-", subresource } = findRoute(info, definition);
    const resource = subresource === undefined ? info.resource : `${info.resource}/${subresource.name}`;
    return `${operation} ${resource} ${namespace} ${name}`;
  } catch (error) {
    if (isPathNotFound(error)) return "404";
    if (!isApiFailure(error)) throw error;
    const { code, message } = error.status;
    return message === "the server does not allow this method on the requested resource"
      ? `${code}`
      : `${code} ${message}`;
  }
}

describe("findRoute", () => {
  it.each(Object.entries(routes))("finds what is done for each method of %s", (path, expected) => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "WATCH"]) {
      expect([method, outcomeOf(method, path)]).toEqual([
        method,
        typeof expected === "string" ? expected : expected[method],
      ]);
    }
  });

  it.each([
    ["HEAD", "/api/v1/namespaces/default/configmaps/x", "405"],
    ["HEAD", "/apis/example.org/v1/gears/x", "get gears - x"],
    ["FOO", "/api/v1/namespaces/default/configmaps/x", "405"],
    ["FOO", "/apis/example.org/v1/gears/x", '405  is not supported on resources of kind "gears.example.org"'],
    ["GET", "/api/example.org/v1/gears", "404"],
    ["GET", "/apis/none.example.org/v1/gears", "404"],
  ])("finds what is done for %s %s", (method, path, expected) => {
    expect(outcomeOf(method, path)).toBe(expected);
  });
});
