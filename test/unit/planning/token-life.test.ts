import { describe, expect, it } from "vitest";
import type { ClusterRegistrationToken } from "../../../src/model/generated/cluster-registration-token.ts";
import type { HubFacts, TokenSubject } from "../../../src/model/member.ts";
import { isTokenClosed, isUsedUp, tokenEndMs, tokenUses, tokenWarningMs } from "../../../src/planning/token-life.ts";

const created = "2027-01-01T00:00:00Z";
const createdMs = Date.parse(created);
const hour = 3_600_000;

function subject(
  spec: ClusterRegistrationToken["spec"],
  metadata: Partial<ClusterRegistrationToken["metadata"]> = {},
  status: ClusterRegistrationToken["status"] = undefined,
): TokenSubject {
  const token = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name: "edge", namespace: "fleet", creationTimestamp: created, ...metadata },
    spec,
    ...(status ? { status } : {}),
  } as ClusterRegistrationToken;
  return { workspace: "fleet", name: "edge", token } as TokenSubject;
}

const at = (nowMs: number) => ({ nowMs }) as HubFacts;

describe("the life of a token", () => {
  it.each([
    { ttl: "24h", fleet: undefined, endMs: createdMs + 24 * hour },
    { ttl: "24h", fleet: { ttl: "1h" }, endMs: createdMs + hour },
    { ttl: "24h", fleet: { ttl: "0" }, endMs: undefined },
    { ttl: "0s", fleet: undefined, endMs: undefined },
    { ttl: "-1h", fleet: undefined, endMs: undefined },
    { ttl: undefined, fleet: undefined, endMs: undefined },
    { ttl: "soon", fleet: undefined, endMs: createdMs },
    { ttl: "24h", fleet: { ttl: "99999999999999999h" }, endMs: createdMs },
  ])("with ttl $ttl and Fleet's $fleet.ttl ends at $endMs", ({ ttl, fleet, endMs }) => {
    const spec = { ...(ttl ? { ttl } : {}), ...(fleet ? { fleet } : {}) };
    expect(tokenEndMs(subject(spec), at(createdMs + 5))).toBe(endMs);
  });

  it("counts from now while the hub has not made it", () => {
    const planned = subject({ ttl: "1h" }, { creationTimestamp: undefined });
    expect(tokenEndMs(planned, at(7))).toBe(7 + hour);
    expect(tokenWarningMs(planned, at(7))).toBeUndefined();
  });

  it("warns a tenth of it before its end, and never where it has none", () => {
    expect(tokenWarningMs(subject({ ttl: "10h" }), at(0))).toBe(createdMs + 9 * hour);
    expect(tokenWarningMs(subject({}), at(0))).toBeUndefined();
  });

  const closings: readonly {
    when: string;
    metadata: Partial<ClusterRegistrationToken["metadata"]>;
    nowMs: number;
    isClosed: boolean;
  }[] = [
    { when: "open", metadata: {}, nowMs: createdMs + hour - 1, isClosed: false },
    { when: "at its end", metadata: {}, nowMs: createdMs + hour, isClosed: true },
    {
      when: "revoked",
      metadata: { annotations: { "rollcall.dev/revoked": "b/x/y" } },
      nowMs: createdMs,
      isClosed: true,
    },
    { when: "being deleted", metadata: { deletionTimestamp: created }, nowMs: createdMs, isClosed: true },
    {
      when: "annotated otherwise",
      metadata: { annotations: { "rollcall.dev/revoked-by": "x" } },
      nowMs: createdMs,
      isClosed: false,
    },
  ];
  it.each(closings)("closed is $isClosed: $when", ({ metadata, nowMs, isClosed }) => {
    expect(isTokenClosed(subject({ ttl: "1h" }, metadata), at(nowMs))).toBe(isClosed);
  });

  it("takes the larger of the uses in its status and in the state of its members", () => {
    const uses = (inStatus: number | undefined, ofMembers: number) =>
      tokenUses(subject({}, {}, inStatus === undefined ? undefined : { uses: inStatus }), {
        usesOf: (name) => ({ count: name === "edge" ? ofMembers : 99, newest: [] }),
      });
    expect([uses(undefined, 0), uses(3, 2), uses(2, 3)]).toEqual([0, 3, 3]);
  });

  it("is used up when as many joined as may", () => {
    const spec = { maxRegistrations: 2 };
    expect([1, 2, 3].map((uses) => isUsedUp(subject(spec), uses))).toEqual([false, true, true]);
    expect(isUsedUp(subject({ maxRegistrations: 0 }), 0)).toBe(true);
    expect(isUsedUp(subject({}), 1_000)).toBe(false);
  });
});
