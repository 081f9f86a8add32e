import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateWebhookClient } from "../../../../src/embedded-hub/admission/validate-webhook-client.ts";

function faultsOf(clientConfig: JsonObject): string[] {
  return validateWebhookClient({ clientConfig }, "c").map(({ field, message }) => `${field}: ${message}`);
}

const form = "; desired format: https://host[/path]";

describe("the URL of a webhook", () => {
  it.each([
    ["https://a.example.org:8443/check", []],
    ["http://a", [`c.url: Invalid value: "http": 'https' is the only allowed URL scheme${form}`]],
    ["https://", [`c.url: Invalid value: "": host must be specified${form}`]],
    [
      "a",
      [
        `c.url: Invalid value: "": 'https' is the only allowed URL scheme${form}`,
        `c.url: Invalid value: "": host must be specified${form}`,
      ],
    ],
    ["https://a@b/", ['c.url: Invalid value: "a": user information is not permitted in the URL']],
    ["https://a/#b", ['c.url: Invalid value: "b": fragments are not permitted in the URL']],
    ["https://a/?b", ['c.url: Invalid value: "b": query parameters are not permitted in the URL']],
  ])("%s", (url, faults) => {
    expect(faultsOf({ url })).toEqual(faults);
  });
});

describe("the Service of a webhook", () => {
  const service = { name: "a", namespace: "b", port: 443 };

  it("has a name, a namespace, a port, and a path of names", () => {
    expect(faultsOf({ service: { ...service, path: "/a/b/" } })).toEqual([]);
    expect(faultsOf({ service: { ...service, port: 0 } })[0]).toContain("c.service.port: Invalid value: 0");
    expect(faultsOf({ service: { ...service, path: "//" } })[0]).toContain("segment[0] may not be empty");
    expect(faultsOf({ service: { ...service, path: "a" } })[0]).toContain("must start with a '/'");
    expect(faultsOf({ service: { ...service, path: "/A" } })[0]).toContain("segment[0]: a lowercase RFC 1123");
  });

  it("is reported under the names that kube-apiserver has exchanged", () => {
    expect(faultsOf({ service: { ...service, name: "" } })).toEqual(["c.service.namespace: Required value"]);
    expect(faultsOf({ service: { ...service, namespace: "" } })).toEqual(["c.service.name: Required value"]);
  });

  it("excludes a URL", () => {
    expect(faultsOf({ service, url: "https://a" })).toEqual([
      "c: Required value: exactly one of url or service is required",
    ]);
  });
});
