import { describe, expect, it } from "vitest";
import { requestAttributes } from "../../../../src/embedded-hub/request/request-attributes.ts";
import { readRequestInfo } from "../../../../src/embedded-hub/request/request-info.ts";

const user = { username: "alpha", groups: [] };

/** Verb, resource with subresource and group, namespace, name; or verb and path; as the authorizer gets them. */
function asked(method: string, target: string): readonly string[] | number {
  const info = readRequestInfo(method, target);
  if (info.kind === "malformed") return 400;
  const attributes = requestAttributes(user, info);
  if (attributes.kind === "path") return [attributes.verb, attributes.path];
  const { verb, group, resource, subresource, namespace = "", name = "" } = attributes;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  return [verb, group === "" ? whole : `${whole}.${group}`, namespace, name];
}

// Source of the forms: k8s.io/apiserver, endpoints/request/requestinfo_test.go.
describe("readRequestInfo", () => {
  it.each<readonly [string, string, readonly string[] | number]>([
    ["GET", "/api/v1/namespaces", ["list", "namespaces", "", ""]],
    ["GET", "/api/v1/namespaces/other", ["get", "namespaces", "other", "other"]],
    ["GET", "/api/v1/namespaces/other/status", ["get", "namespaces/status", "other", "other"]],
    ["PUT", "/api/v1/namespaces/other/finalize", ["update", "namespaces/finalize", "other", "other"]],
    ["GET", "/api/v1/namespaces/other/pods", ["list", "pods", "other", ""]],
    ["GET", "/api/v1/namespaces/other/pods/foo", ["get", "pods", "other", "foo"]],
    ["HEAD", "/api/v1/namespaces/other/pods/foo", ["get", "pods", "other", "foo"]],
    ["GET", "/api/v1/pods", ["list", "pods", "", ""]],
    ["HEAD", "/api/v1/pods", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?watch=true", ["watch", "pods", "", ""]],
    ["GET", "/api/v1/pods?watch=false", ["list", "pods", "", ""]],
    ["GET", "/api/v1/watch/pods", ["watch", "pods", "", ""]],
    ["GET", "/api/v1/watch/namespaces/other/pods", ["watch", "pods", "other", ""]],
    ["POST", "/api/v1/watch/namespaces/other/configmaps", ["watch", "configmaps", "other", ""]],
    ["DELETE", "/api/v1/watch/namespaces/other/configmaps", ["watch", "configmaps", "other", ""]],
    ["POST", "/api/v1/watch/namespaces/o/serviceaccounts/a/token", ["watch", "serviceaccounts/token", "o", "a"]],
    ["GET", "/api/v1/proxy/namespaces/other/pods/foo", ["proxy", "pods", "other", "foo"]],
    ["GET", "/api/v1/proxy/namespaces/other/pods/foo/sub", ["proxy", "pods", "other", "foo"]],
    ["GET", "/api/v1/namespaces/other/pods/foo/proxy", ["get", "pods/proxy", "other", "foo"]],
    ["GET", "/api/v1/namespaces/other/pods/foo/proxy/sub/path", ["get", "pods/proxy", "other", "foo"]],
    ["PATCH", "/api/v1/namespaces/other/pods/foo/status", ["patch", "pods/status", "other", "foo"]],
    ["DELETE", "/api/v1/nodes", ["deletecollection", "nodes", "", ""]],
    ["DELETE", "/api/v1/namespaces/other/pods", ["deletecollection", "pods", "other", ""]],
    ["POST", "/apis/apps/v1/namespaces/other/deployments", ["create", "deployments.apps", "other", ""]],
    ["GET", "/apis/apps/v1/namespaces/other/deployments/foo/scale", ["get", "deployments/scale.apps", "other", "foo"]],
    ["GET", "/api/v1/namespaces/o%74her/p%6fds/f%2foo", ["get", "pods/oo", "other", "f"]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Dfoo", ["list", "pods", "", "foo"]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name!=foo", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=..", ["list", "pods", "", ""]],
    ["GET", "/", ["get", "/"]],
    ["GET", "/api", ["get", "/api"]],
    ["POST", "/api/v1/", ["post", "/api/v1/"]],
    ["GET", "/apis/apps/v1", ["get", "/apis/apps/v1"]],
    ["DELETE", "/healthz", ["delete", "/healthz"]],
    ["GET", "/%61pi/v1/pods", ["list", "pods", "", ""]],
    ["FOO", "/api/v1/pods", ["", "pods", "", ""]],
    ["GET", "/api/v1/watch", 400],
    ["GET", "/api/v1/proxy/", 400],
    ["GET", "/api/v1/pods%zz", 400],
    ["GET", "*", ["get", "*"]],
    ["GET", "https://hub.example", ["get", ""]],
    ["GET", "https://user:pw@hub.example:6443/api/v1/pods", ["list", "pods", "", ""]],
    ["GET", "https://hub.example%2fapi/v1/pods", 400],
    ["GET", "https://hub.example:x/api/v1/pods", 400],
    ["GET", "api/v1/pods", 400],
  ])("A48 reads %s %s", (method, target, expected) => {
    expect(asked(method, target)).toEqual(expected);
  });
});
