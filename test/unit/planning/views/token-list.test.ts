import { describe, expect, it } from "vitest";
import type { ClusterRegistrationToken } from "../../../../src/model/generated/cluster-registration-token.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { forgeLinks } from "../../../../src/planning/views/forge-links.ts";
import { tokenList } from "../../../../src/planning/views/token-list.ts";

const apiVersion = "rollcall.dev/v1alpha1";

function token(name: string, fields: Partial<ClusterRegistrationToken> = {}): ClusterRegistrationToken {
  return { apiVersion, kind: "ClusterRegistrationToken", metadata: { namespace: "fleet", name }, spec: {}, ...fields };
}

function request(name: string, status?: object, creationTimestamp = "2027-01-01T00:00:00Z"): KubeObject {
  const metadata = { namespace: "fleet", name, creationTimestamp };
  const spec = { tokenName: "edge", clusterName: "asked" };
  return { apiVersion, kind: "ClusterRegistration", metadata, spec, ...(status ? { status } : {}) };
}

const listOf = (tokens: readonly ClusterRegistrationToken[], requests: readonly KubeObject[] = []) =>
  tokenList(tokens, requests, forgeLinks(undefined));

describe("tokenList", () => {
  it("has defaults for a token that the hub has not reconciled", () => {
    const [row] = listOf([token("a")]).tokens;
    expect(row).toMatchObject({
      protocol: "rollcall",
      state: "Unknown",
      reason: "NotSeenYet",
      uses: 0,
      approval: "Automatic",
    });
    expect(row).not.toHaveProperty("maximumUses");
    expect(listOf([token("a", { spec: { maxRegistrations: 3 } })]).tokens[0]).toMatchObject({ maximumUses: 3 });
  });

  it("has tokens that end first before the others, then by name", () => {
    const ending = (expires: string) => ({ status: { expires } });
    const tokens = [token("b"), token("a"), token("late", ending("2028-01-01")), token("soon", ending("2027-01-01"))];
    expect(listOf(tokens).tokens.map(({ name }) => name)).toEqual(["soon", "late", "a", "b"]);
  });

  it.each([
    { status: undefined, decision: "Waiting" },
    { status: { decision: "Proposed" }, decision: "Proposed" },
    { status: { decision: "Refused" }, decision: "Refused" },
    { status: { decision: "Granted" }, decision: "Granted" },
    { status: { granted: true }, decision: "Granted" },
    { status: { granted: "true" }, decision: "Waiting" },
    { status: { decision: "Other" }, decision: "Waiting" },
  ])("shows a request with status $status as $decision", ({ status, decision }) => {
    expect(listOf([], [request("r", status)]).registrations[0]).toMatchObject({ decision, cluster: "asked" });
  });

  it("names the cluster that was granted, not the one that was asked for", () => {
    const [row] = listOf([], [request("r", { decision: "Granted", clusterName: "given" })]).registrations;
    expect(row?.cluster).toBe("given");
  });

  it("has requests that wait before the others, the newest first, and not more than 500", () => {
    const old = request("old", undefined, "2026-01-01T00:00:00Z");
    const rows = [request("done", { granted: true }, "2028-01-01T00:00:00Z"), old, request("new")];
    expect(listOf([], rows).registrations.map(({ name }) => name)).toEqual(["new", "old", "done"]);
    expect(
      listOf(
        [],
        Array.from({ length: 501 }, (_, at) => request(`r${at}`)),
      ).registrations,
    ).toHaveLength(500);
  });

  it("leads from a proposal to its pull request, and from no other request", () => {
    const links = forgeLinks({
      apiVersion,
      kind: "Repository",
      metadata: { name: "fleet" },
      spec: { url: "https://github.com/example/fleet.git", ref: { branch: "prod" } },
    });
    const requests = [request("a", { decision: "Proposed" }), request("b", { decision: "Refused" }), request("c")];
    expect(tokenList([], requests, links).registrations.map(({ name, link }) => [name, link])).toEqual([
      ["a", "https://github.com/example/fleet/compare/prod...rollcall/join/fleet/edge"],
      ["c", undefined],
      ["b", undefined],
    ]);
  });
});
