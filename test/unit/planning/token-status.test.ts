import { describe, expect, it } from "vitest";
import type { ClusterRegistrationToken } from "../../../src/model/generated/cluster-registration-token.ts";
import type { HubFacts, Member, TokenSubject } from "../../../src/model/member.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { TokenValues } from "../../../src/planning/token-status.ts";
import { tokenStatus } from "../../../src/planning/token-status.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";

const created = "2027-01-01T00:00:00Z";
const createdMs = Date.parse(created);
const hour = 3_600_000;
const isThere: TokenValues = { hasSecret: true, isComplete: true };

interface Given {
  readonly spec?: ClusterRegistrationToken["spec"];
  readonly metadata?: Partial<ClusterRegistrationToken["metadata"]>;
  readonly status?: ClusterRegistrationToken["status"];
  readonly subject?: Partial<TokenSubject>;
  readonly members?: readonly Member[];
  readonly values?: TokenValues;
  readonly nowMs?: number;
}

function statusOf({ spec, metadata, status, subject, members = [], values = isThere, nowMs = createdMs }: Given) {
  const token = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name: "edge", namespace: "fleet", creationTimestamp: created, ...metadata },
    spec: spec ?? {},
    ...(status ? { status } : {}),
  } as ClusterRegistrationToken;
  const whole: TokenSubject = { workspace: "fleet", name: "edge", token, children: [], ...subject };
  return tokenStatus({ subject: whole, members: indexMembers(members), hub: { nowMs } as HubFacts, values });
}

function admitted(name: string, time: string, { token = "edge", tokenUse = 1 } = {}): Member {
  const join = { token, tokenUse, time, registration: "r", initiated: "agent" as const };
  return { workspace: "fleet", name, state: { join }, children: [] } as unknown as Member;
}

const revoked = { annotations: { [annotationKeys.revoked]: "yes" } };
const refusal = { reason: "NotInGit", message: "No file declares it." };

describe("the condition of a token", () => {
  it.each<Given & { reason: string; status: undefined; is: string }>([
    { reason: "Open", is: "True", status: undefined },
    { reason: "Open", is: "True", spec: { maxRegistrations: 2 }, members: [admitted("a", created)], status: undefined },
    { reason: "Open", is: "True", spec: { ttl: "10h" }, nowMs: createdMs + 9 * hour - 1, status: undefined },
    { reason: "ExpiresSoon", is: "True", spec: { ttl: "10h" }, nowMs: createdMs + 9 * hour, status: undefined },
    { reason: "Expired", is: "False", spec: { ttl: "10h" }, nowMs: createdMs + 10 * hour, status: undefined },
    { reason: "Revoked", is: "False", metadata: revoked, status: undefined },
    { reason: "Closed", is: "False", metadata: { deletionTimestamp: created }, status: undefined },
    { reason: "NotInGit", is: "False", subject: { refusal }, status: undefined },
    {
      reason: "UsedUp",
      is: "False",
      spec: { maxRegistrations: 1 },
      members: [admitted("a", created)],
      status: undefined,
    },
    { reason: "Preparing", is: "False", values: { hasSecret: true, isComplete: false }, status: undefined },
  ])("is $is with $reason", ({ reason, is, ...given }) => {
    expect(statusOf(given).conditions?.map(({ type, status, reason: why }) => [type, status, why])).toEqual([
      ["Ready", is, reason],
    ]);
  });

  it.each([
    { spec: {}, life: "It does not end." },
    { spec: { ttl: "10h" }, life: "It lives 10h." },
  ])("describes an open token: $life", ({ spec, life }) => {
    const message = `Secret edge has the values to install an agent with. ${life}`;
    expect(statusOf({ spec, nowMs: createdMs + hour }).conditions?.[0]?.message).toBe(message);
  });

  it("reports how long a token lives that the hub has not made yet", () => {
    const { conditions } = statusOf({ spec: { ttl: "2h" }, metadata: { creationTimestamp: undefined } });
    expect(conditions?.[0]?.message).toMatch(/It lives 2h\.$/u);
  });

  it("is beside one that is stalled where another writer fights for its objects", () => {
    const fight = { reason: "Contested", message: "kubectl changes it." };
    expect(statusOf({ subject: { fight } }).conditions?.[1]).toMatchObject({
      type: "Stalled",
      status: "True",
      ...fight,
    });
  });
});

describe("the status of a token", () => {
  it("leaves out what is not known", () => {
    expect(Object.keys(statusOf({ values: { hasSecret: false, isComplete: true } }))).toEqual(["conditions", "uses"]);
  });

  it("names the Secret, both ends, the generation and the file", () => {
    const annotations = {
      [annotationKeys.sourceFile]: "tokens/edge.yaml",
      [annotationKeys.sourceLine]: "7",
      [annotationKeys.sourceCommit]: "c0ffee",
    };
    const seen = statusOf({
      spec: { ttl: "1h" },
      metadata: { generation: 3, annotations },
      values: { ...isThere, credentialExpires: "2027-01-01T00:30:00Z" },
    });
    expect(seen).toMatchObject({
      observedGeneration: 3,
      secretName: "edge",
      expires: "2027-01-01T01:00:00Z",
      credentialExpires: "2027-01-01T00:30:00Z",
      source: { file: "tokens/edge.yaml", line: 7, commit: "c0ffee" },
    });
    expect(seen.conditions?.[0]?.observedGeneration).toBe(3);
  });

  it("begins at the first line of a file when no annotation has the line, and needs no commit", () => {
    const metadata = { annotations: { [annotationKeys.sourceFile]: "a.yaml" } };
    expect(statusOf({ metadata }).source).toEqual({ file: "a.yaml", line: 1 });
  });

  it("keeps the time of a condition that stays as it was", () => {
    const before = statusOf({});
    expect(statusOf({ status: before, nowMs: createdMs + hour }).conditions).toEqual(before.conditions);
  });
});

describe("the uses of a token", () => {
  it("are those of member states and of its status, newest first, each once", () => {
    const seen = statusOf({
      members: [
        admitted("b", "2027-01-02T00:00:00Z", { tokenUse: 2 }),
        admitted("c", "2027-01-03T00:00:00Z", { token: "other", tokenUse: 9 }),
        admitted("a", "2027-01-02T00:00:00Z", { tokenUse: 3 }),
        { workspace: "fleet", name: "d", state: undefined, children: [] } as unknown as Member,
        { workspace: "fleet", name: "e", state: {}, children: [] } as unknown as Member,
      ],
      status: {
        lastUses: [
          { cluster: "b", time: "2027-01-02T00:00:00Z" },
          { cluster: "gone", time: "2027-01-04T00:00:00Z" },
        ],
      },
    });
    expect(seen.uses).toBe(3);
    expect(seen.lastUses?.map(({ cluster, time }) => `${cluster} ${time.slice(8, 10)}`)).toEqual([
      "gone 04",
      "a 02",
      "b 02",
    ]);
  });

  it("shows the twenty newest", () => {
    const members = Array.from({ length: 25 }, (_, index) =>
      admitted(`c${index}`, `2027-01-${String(index + 1).padStart(2, "0")}T00:00:00Z`),
    );
    const { lastUses = [] } = statusOf({ members });
    expect([lastUses.length, lastUses[0]?.cluster, lastUses.at(-1)?.cluster]).toEqual([20, "c24", "c5"]);
  });
});
