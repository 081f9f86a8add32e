import { describe, expect, it } from "vitest";
import { creationForbidden, requestForbidden } from "../../../../src/embedded-hub/auth/forbidden.ts";

describe("requestForbidden", () => {
  it.each([
    ["/a\u0000", '"/a\\x00"'],
    ["/a\b\u007f\n", '"/a\\b\\x7f\\n"'],
    ["/a\u202e", '"/a\\u202e"'],
    ["/a\u{e0001}", '"/a\\U000e0001"'],
    ["/ä\u{1f600} \\", '"/ä\u{1f600} \\\\"'],
  ])("A48 prints a path as Go does: %j", (path, printed) => {
    const user = { username: "alpha", groups: [] };
    const { message } = requestForbidden({ kind: "path", user, verb: "get", path }, "");
    expect(message).toBe(`forbidden: User "alpha" cannot get path ${printed}`);
  });

  const user = { username: "a<b>&c", groups: [] };
  const base = { kind: "resource", user, verb: "get", version: "v1" } as const;

  it("escapes what is HTML, and adds the reason", () => {
    const { message } = requestForbidden({ ...base, group: "", resource: "pods", name: "<x>" }, "why <not>");
    expect(message).toBe(
      'pods "<x>" is forbidden: User "a&lt;b&gt;&amp;c" cannot get resource "pods" in API group "" at the cluster scope: why <not>',
    );
  });

  it.each([
    {
      attributes: {
        ...base,
        group: "apps",
        resource: "deployments",
        subresource: "scale",
        namespace: "shop",
        name: "x",
      },
      message:
        'deployments.apps "x" is forbidden: User "a&lt;b&gt;&amp;c" cannot get resource "deployments/scale" in API group "apps" in the namespace "shop"',
      details: { name: "x", group: "apps", kind: "deployments" },
    },
    {
      attributes: { ...base, group: "", resource: "nodes" },
      message:
        'nodes is forbidden: User "a&lt;b&gt;&amp;c" cannot get resource "nodes" in API group "" at the cluster scope',
      details: { kind: "nodes" },
    },
    {
      attributes: { ...base, group: "", resource: "" },
      message: 'forbidden: User "a&lt;b&gt;&amp;c" cannot get resource "" in API group "" at the cluster scope',
      details: { kind: "" },
    },
  ])("answers $message", ({ attributes, message, details }) => {
    const { status, headers } = requestForbidden(attributes, "");
    expect(headers).toEqual({ "x-content-type-options": "nosniff" });
    expect(creationForbidden(attributes, "")).toMatchObject({ status, headers: {} });
    expect(status).toMatchObject({ code: 403, reason: "Forbidden", message });
    expect(status.details).toEqual(details);
  });
});
