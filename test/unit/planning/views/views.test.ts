import { describe, expect, it } from "vitest";
import type { Repository } from "../../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { forgeLinks } from "../../../../src/planning/views/forge-links.ts";
import { parseQuantity } from "../../../../src/planning/views/parse-quantity.ts";
import { changeView } from "../../../../src/planning/views/plan-view.ts";
import { withoutCredentials } from "../../../../src/planning/views/repository-summary.ts";

function repositoryAt(url: string): Repository {
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata: { name: "fleet" }, spec: { url } };
}

describe("forgeLinks", () => {
  it.each([
    { url: "https://github.com/a/fleet.git", link: "https://github.com/a/fleet/blob/abc/clusters/a%20b.yaml#L3" },
    {
      url: "https://user:secret@gitlab.com/a/fleet",
      link: "https://gitlab.com/a/fleet/-/blob/abc/clusters/a%20b.yaml#L3",
    },
    { url: "git@codeberg.org:a/fleet.git", link: "https://codeberg.org/a/fleet/src/commit/abc/clusters/a%20b.yaml#L3" },
    { url: "https://git.example.com/a/fleet.git", link: undefined },
    { url: "/srv/fleet.git", link: undefined },
    { url: "javascript:alert(1)//github.com/a/b", link: undefined },
  ])("leads from $url to $link", ({ url, link }) => {
    expect(forgeLinks(repositoryAt(url)).file("clusters/a b.yaml", { commit: "abc", line: 3 })).toBe(link);
  });
});

describe("changeView", () => {
  it("shows nothing of what a Secret holds", () => {
    const view = changeView(
      {
        kind: "update",
        ref: { type: resourceTypes.secret, namespace: "fleet", name: "edge" },
        object: { apiVersion: "v1", kind: "Secret", metadata: { name: "edge" } },
        manager: "rollcall-git",
        fields: [{ path: "data.token", from: "b2xk", to: "bmV3" }],
      },
      { links: forgeLinks(undefined), commit: undefined },
    );
    expect(view).toEqual({ kind: "update", object: "Secret/fleet/edge", fields: [] });
  });
});

describe("withoutCredentials", () => {
  it("leaves out who reads the repository", () => {
    expect(withoutCredentials("https://user:secret@example.com/a.git")).toBe("https://example.com/a.git");
  });
});

describe("parseQuantity", () => {
  it.each([
    ["250m", 0.25],
    ["2Gi", 2 ** 31],
    ["1e3", 1000],
    [7, 7],
    ["much", undefined],
  ])("reads %s as %s", (text, value) => {
    expect(parseQuantity(text)).toBe(value);
  });
});
