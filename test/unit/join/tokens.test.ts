import { describe, expect, it } from "vitest";
import { rollcallProtocol as protocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import { tokenUses } from "../../../src/planning/token-life.ts";
import type { CredentialDue } from "../../../src/join/join.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { Member, TokenSubject } from "../../../src/model/member.ts";
import { indexMembers } from "../../../src/planning/member-index.ts";
import { hubFacts, makeAgent, memberOf, memberStateOf, startMs, tokenSubject } from "./hub-scene.ts";

const fresh = (spec: Parameters<typeof tokenSubject>[1]): TokenSubject => ({
  ...tokenSubject("edge", spec),
  children: [],
});
const at = (durationMs: number) => hubFacts({ nowMs: startMs + durationMs });

function dueOf(subject: TokenSubject, hub = hubFacts()): CredentialDue[] {
  return protocol.credentialsDue({ kind: "token", subject }, hub);
}

/** Delivers what was issued and returns the token with the Secret that came of it. */
async function credential(
  subject: TokenSubject,
  expiresAt: string | undefined,
  hub = hubFacts(),
): Promise<TokenSubject> {
  const [due] = dueOf(subject, hub);
  if (due === undefined) throw new Error("nothing is due");
  const issued = { due, token: "credential", issuedAt: new Date(hub.nowMs).toISOString(), random: Buffer.alloc(32, 5) };
  const { objects } = await protocol.deliver(
    { kind: "token", subject },
    { ...issued, ...(expiresAt === undefined ? {} : { expiresAt }) },
    hub,
    { bytes: (count) => Buffer.alloc(count) },
  );
  return { ...subject, children: objects };
}

function values(subject: TokenSubject): unknown {
  const data = subject.children[0]?.["data"];
  const encoded = typeof data === "object" && data !== null && "values" in data ? data.values : undefined;
  return JSON.parse(Buffer.from(String(encoded), "base64").toString("utf8"));
}

const names = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);

describe("a token with an end", () => {
  it("gets an account that may ask and read its answer, and nothing else", () => {
    const objects = protocol.desiredTokenObjects(fresh({ ttl: "1h" }), hubFacts());
    expect(names(objects)).toEqual([
      "ServiceAccount/rollcall.token.edge",
      "Role/rollcall.token.edge",
      "RoleBinding/rollcall.token.edge",
    ]);
    expect(objects[1]?.["rules"]).toEqual([
      { apiGroups: ["rollcall.dev"], resources: ["clusterregistrations"], verbs: ["create", "get"] },
    ]);
  });

  it("gets a credential that lives as long, bound to a Secret of its own", async () => {
    const subject = fresh({ ttl: "1h" });
    expect(dueOf(subject)).toEqual([
      {
        purpose: "token",
        workspace: "fleet",
        how: {
          kind: "token-request",
          account: "rollcall.token.edge",
          expirationSeconds: 3600,
          boundSecret: {
            apiVersion: "v1",
            kind: "Secret",
            metadata: {
              name: "rollcall.token.edge.bound",
              namespace: "fleet",
              labels: { "rollcall.dev/token": "edge" },
            },
            type: "Opaque",
          },
        },
        randomBytes: 32,
        reason: "the values are missing",
      },
    ]);
    const done = await credential(subject, "2027-01-15T09:00:00Z");
    expect(dueOf(done)).toEqual([]);
    expect(values(done)).toEqual({
      hub: { url: "https://hub.example.com:6443", caBundle: "ca", id: hubFacts().hubId },
      workspace: "fleet",
      token: { name: "edge", credential: "credential", proofKey: Buffer.alloc(32, 5).toString("base64") },
    });
  });

  it("A7: loses account and credential when it ends, is revoked or is deleted", async () => {
    const done = await credential(fresh({ ttl: "1h" }), "2027-01-15T09:00:00Z");
    const open = { kind: "token", subject: done } as const;
    expect(names(protocol.desiredTokenObjects(done, at(3_599_000)))).toHaveLength(3);
    expect(protocol.keptObjects(open, at(3_599_000))).toMatchObject([
      { name: "edge" },
      { name: "rollcall.token.edge.bound" },
    ]);
    expect(protocol.dueAtMs(open, at(0))).toBe(startMs + 3_240_000);
    expect(protocol.dueAtMs(open, at(3_240_000))).toBe(startMs + 3_600_000);
    expect(protocol.desiredTokenObjects(done, at(3_600_000))).toEqual([]);
    expect(protocol.keptObjects(open, at(3_600_000))).toEqual([]);
    expect(dueOf(done, at(3_600_000))).toEqual([]);
    expect(protocol.dueAtMs(open, at(3_600_000))).toBeUndefined();
    const { metadata } = done.token;
    const revoked = { ...metadata, annotations: { "rollcall.dev/revoked": "blob/who/when" } };
    const subject = { ...done, token: { ...done.token, metadata: revoked } };
    expect(protocol.desiredTokenObjects(subject, at(0))).toEqual([]);
    expect(protocol.keptObjects({ kind: "token", subject }, at(0))).toEqual([]);
  });

  it("asks for ten minutes at least: no API server gives less", () => {
    const [due] = dueOf(fresh({ ttl: "10m" }), at(9 * 60_000));
    expect(due?.how).toMatchObject({ expirationSeconds: 600 });
  });

  it("keeps its proofKey when it is given a longer life", async () => {
    const done = await credential(fresh({ ttl: "1h" }), "2027-01-15T09:00:00Z");
    const longer = { ...done, token: { ...done.token, spec: { ttl: "2h" } } };
    expect(dueOf(longer)).toMatchObject([
      { reason: "the credential ends before the token", how: { expirationSeconds: 7200 } },
    ]);
    const again = await credential(longer, "2027-01-15T10:00:00Z", at(60_000));
    expect(values(again)).toEqual(values(done));
    expect(dueOf(again)).toEqual([]);
  });

  it("gets a token Secret where the hub gives no credential that lives as long", async () => {
    const capped = await credential(fresh({ ttl: "240h" }), "2027-01-16T08:00:00Z");
    expect(names(protocol.desiredTokenObjects(capped, hubFacts()))).toContain("Secret/rollcall.token.edge");
    expect(dueOf(capped)).toMatchObject([{ how: { kind: "token-secret", secret: "rollcall.token.edge" } }]);
    const done = await credential(capped, undefined);
    expect(dueOf(done)).toEqual([]);
    expect(protocol.desiredTokenObjects(done, at(240 * 3600_000))).toEqual([]);
  });
});

describe("a token without an end", () => {
  it.each([undefined, null, "0", "0s"])("gets a token Secret (ttl %s)", async (ttl) => {
    const subject = fresh({ ttl });
    expect(protocol.desiredTokenObjects(subject, hubFacts())[3]).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "rollcall.token.edge",
        namespace: "fleet",
        labels: { "rollcall.dev/token": "edge" },
        annotations: { "kubernetes.io/service-account.name": "rollcall.token.edge" },
      },
      type: "kubernetes.io/service-account-token",
    });
    expect(dueOf(subject)).toMatchObject([{ how: { kind: "token-secret", secret: "rollcall.token.edge" } }]);
    const done = await credential(subject, undefined);
    expect(dueOf(done, at(10 ** 12))).toEqual([]);
    expect(protocol.dueAtMs({ kind: "token", subject: done }, hubFacts())).toBeUndefined();
  });
});

describe("a token whose uses are all taken", () => {
  it("lets answers be fetched and nothing be asked any more", () => {
    const spent = tokenSubject("edge", { maxRegistrations: 2 }, { status: { uses: 2 } });
    expect(protocol.desiredTokenObjects(spent, hubFacts())[1]?.["rules"]).toMatchObject([{ verbs: ["get"] }]);
    const open = tokenSubject("edge", { maxRegistrations: 2 }, { status: { uses: 1 } });
    expect(protocol.desiredTokenObjects(open, hubFacts())[1]?.["rules"]).toMatchObject([{ verbs: ["create", "get"] }]);
  });
});

describe("tokenUses", () => {
  const join = { time: "", registration: "", initiated: "agent" as const };
  const memberWith = (token: string, tokenUse: number) =>
    memberOf(`of-${token}`, { state: memberStateOf(makeAgent(), { join: { ...join, token, tokenUse } }) });

  it("is what the status has, or what a member remembers that joined since", () => {
    const subject = tokenSubject("edge", {}, { status: { uses: 4 } });
    expect(tokenUses(subject, indexMembers([]))).toBe(4);
    expect(tokenUses(subject, indexMembers([memberWith("edge", 2)]))).toBe(4);
    expect(tokenUses(subject, indexMembers([memberWith("edge", 5), memberWith("other", 9)]))).toBe(5);
    expect(tokenUses(tokenSubject("edge"), indexMembers([]))).toBe(0);
  });
});

describe("tokenStatus", () => {
  const statusOf = (subject: TokenSubject, members = [] as Member[], hub = hubFacts()) =>
    protocol.tokenStatuses(subject, indexMembers(members), hub)[0]?.status;

  it("reports where the values are, when they end and who joined", async () => {
    const done = await credential(fresh({ ttl: "1h" }), "2027-01-15T09:00:00Z");
    const join = {
      token: "edge",
      tokenUse: 1,
      time: "2027-01-15T08:10:00Z",
      registration: "",
      initiated: "agent" as const,
    };
    expect(statusOf(done, [memberOf("eu-1", { state: memberStateOf(makeAgent(), { join }) })])).toEqual({
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Open",
          message: "Secret edge has the values to install an agent with. It lives 60m.",
          lastTransitionTime: "2027-01-15T08:00:00Z",
        },
      ],
      secretName: "edge",
      expires: "2027-01-15T09:00:00Z",
      credentialExpires: "2027-01-15T09:00:00Z",
      uses: 1,
      lastUses: [{ cluster: "eu-1", time: "2027-01-15T08:10:00Z" }],
    });
  });

  it.each([
    ["ExpiresSoon", at(3_300_000), {}],
    ["Expired", at(3_600_000), {}],
    ["Preparing", at(0), { children: [] }],
  ])("reports %s", async (reason, hub, changes) => {
    const done = await credential(fresh({ ttl: "1h" }), "2027-01-15T09:00:00Z");
    expect(statusOf({ ...done, ...changes }, [], hub)).toMatchObject({ conditions: [{ reason }] });
  });

  it("keeps twenty uses, and those of clusters that left", () => {
    const lastUses = Array.from({ length: 20 }, (_, index) => ({
      cluster: `old-${index}`,
      time: `2027-01-01T00:00:${String(59 - index)}Z`,
    }));
    const subject = tokenSubject("edge", { maxRegistrations: 21 }, { status: { uses: 20, lastUses } });
    const join = {
      token: "edge",
      tokenUse: 21,
      time: "2027-01-15T08:10:00Z",
      registration: "",
      initiated: "agent" as const,
    };
    const status = statusOf(subject, [memberOf("eu-1", { state: memberStateOf(makeAgent(), { join }) })]);
    expect(status).toMatchObject({ uses: 21, conditions: [{ reason: "UsedUp" }] });
    expect(status?.["lastUses"]).toEqual([{ cluster: "eu-1", time: "2027-01-15T08:10:00Z" }, ...lastUses.slice(0, 19)]);
  });
});
