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
    ["GET", "/api/v1/pods?limit=10&timeoutSeconds=-1&fieldSelector=metadata.name=foo", ["list", "pods", "", "foo"]],
    ["GET", "/api/v1/pods?limit=1x&fieldSelector=metadata.name=foo", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?limit=x1&fieldSelector=metadata.name=foo", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?timeoutSeconds=x&fieldSelector=metadata.name=foo", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?labelSelector=((&fieldSelector=metadata.name=foo", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=foo,x", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=.", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=a..", ["list", "pods", "", "a.."]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=..a", ["list", "pods", "", "..a"]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=a/b", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?watch&fieldSelector=metadata.name=foo", ["watch", "pods", "", "foo"]],
    ["GET", "/api/v1/pods?watch=", ["watch", "pods", "", ""]],
    ["GET", "/api/v1/pods?watch=FALSE", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?watch=0", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?watch=true;", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?watch=%zz", ["list", "pods", "", ""]],
    ["GET", "/api/v1/pods?watc%68=tru%65", ["watch", "pods", "", ""]],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name=foo&continue=http://b/c", ["list", "pods", "", "foo"]],
    ["GET", "//api//v1/pods", ["get", "v1", "", "pods"]],
    ["GET", "//api/v1/pods//", ["list", "pods", "", ""]],
    ["GET", "/api/v1/configmaps/foo/bar", ["get", "configmaps/bar", "", "foo"]],
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
    ["GET", "https://hub.example?watch=true", ["get", ""]],
    ["GET", "?watch=true", 400],
    ["GET", "/api/v1/pods%2x", 400],
    ["GET", "/api/v1/pods%", 400],
    ["GET", "https://user:pw@hub.example:6443/api/v1/pods", ["list", "pods", "", ""]],
    ["GET", "https://hub.example%2fapi/v1/pods", 400],
    ["GET", "https://hub.example:x/api/v1/pods", 400],
    ["GET", "api/v1/pods", 400],
  ])("A48 reads %s %s", (method, target, expected) => {
    expect(asked(method, target)).toEqual(expected);
  });

  it("has no namespace and no name where the path has none", () => {
    const info = readRequestInfo("GET", "/api/v1/pods");
    const attributes = info.kind === "malformed" ? {} : requestAttributes(user, info);
    expect(Object.keys(attributes).sort()).toEqual(["group", "kind", "resource", "user", "verb", "version"]);
  });
});
