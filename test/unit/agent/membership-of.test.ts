import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { membershipOf, reportRefOf } from "../../../src/agent/membership-of.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const membership = { clusterName: "eu-1" };
const contextOf = (identity: object | undefined): AgentContext =>
  ({ secrets: { identity } }) as unknown as AgentContext;

describe("membershipOf", () => {
  it("is that of the identity", () => {
    expect(membershipOf(contextOf({ workspace: "fleet", membership }))).toBe(membership);
  });

  it.each([
    { reason: "no identity", identity: undefined },
    { reason: "an identity that was not admitted", identity: { workspace: "fleet" } },
  ])("is a bug to ask for with $reason", ({ identity }) => {
    expect(() => membershipOf(contextOf(identity))).toThrow(expect.objectContaining({ code: "E_BUG" }) as Error);
  });
});

describe("reportRefOf", () => {
  it("names the report by workspace and cluster, as they are now", () => {
    const expected = { type: resourceTypes.clusterReport, namespace: "fleet", name: "eu-1" };
    expect(reportRefOf(contextOf({ workspace: "fleet", membership }))).toEqual(expected);
  });
});
