import { describe, expect, it } from "vitest";
import {
  makeIdentity,
  readIdentity,
  withNewerKey,
} from "../../../../../src/join/rollcall/downstream/agent-identity.ts";
import type { AgentIdentity } from "../../../../../src/join/rollcall/downstream/agent-identity.ts";

const hub = { url: "https://hub", caBundle: "ca", id: "sha256:hub" };
const fresh = makeIdentity({ hub, workspace: "fleet" }, "uid-1", Buffer.alloc(64, 7));
const credential = {
  number: 4,
  token: "t",
  issuedAt: "2027-01-01T00:00:00Z",
  expiresAt: "2027-01-02T00:00:00Z",
  receivedAtMs: 5,
};
const membership = { clusterName: "eu-1", recoveryToken: "r", credential, heartbeatPeriodSeconds: 30 };
const previous = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "rollcall-agent" } };
const rollout = { digest: "sha256:m", startedAtMs: 1, deadlineMs: 2, version: "0.2.0", previous };
const whole: AgentIdentity = {
  ...fresh,
  trustKey: { digest: "sha256:k", number: 3 },
  hubInfo: { payload: "p", signature: "s" },
  epoch: 2,
  lastNonce: 9,
  membership,
  former: { workspace: "old", membership },
  rollout,
  refused: { digest: "sha256:r", version: "0.3.0" },
};
const again = (value: unknown): unknown => readIdentity(JSON.parse(JSON.stringify(value)));

describe("readIdentity: what an agent kept in its Secret", () => {
  it("is what was written, of a new agent and of one with all there is", () => {
    expect(again(fresh)).toEqual(fresh);
    expect(again(whole)).toEqual(whole);
  });

  it.each<[string, object]>([
    ["its signing key", { keys: { sealing: fresh.keys.sealing } }],
    ["its sealing key", { keys: { signing: fresh.keys.signing } }],
    ["the private half of a key", { keys: { ...fresh.keys, signing: { public: "p" } } }],
    ["the public half of a key", { keys: { ...fresh.keys, signing: { private: "p" } } }],
    ["its hub", { hubId: "" }],
    ["its workspace", { workspace: "" }],
    ["who it is", { clientID: "" }],
    ["the epoch that it has seen", { epoch: undefined }],
    ["its last nonce", { lastNonce: undefined }],
    ["any address", { endpoints: [] }],
    ["an address with a URL", { endpoints: [{ caBundle: "ca" }] }],
  ])("is nothing without %s", (_what, changes) => {
    expect(again({ ...fresh, ...changes })).toBeUndefined();
  });

  it.each<[string, object, keyof AgentIdentity]>([
    ["a cluster", { membership: { ...membership, clusterName: "" } }, "membership"],
    ["a recovery token", { membership: { ...membership, recoveryToken: undefined } }, "membership"],
    ["a credential", { membership: { ...membership, credential: {} } }, "membership"],
    [
      "the time of its credential",
      { membership: { ...membership, credential: { ...credential, receivedAtMs: undefined } } },
      "membership",
    ],
    ["the workspace that it came from", { former: { membership } }, "former"],
    ["the cluster that it was", { former: { workspace: "old" } }, "former"],
    ["the signature of the hub's info", { hubInfo: { payload: "p" } }, "hubInfo"],
    ["what the hub signed", { hubInfo: { signature: "s" } }, "hubInfo"],
    ["the digest of a rollout", { rollout: { ...rollout, digest: "" } }, "rollout"],
    ["the start of a rollout", { rollout: { ...rollout, startedAtMs: undefined } }, "rollout"],
    ["the end of a rollout", { rollout: { ...rollout, deadlineMs: undefined } }, "rollout"],
    ["the digest that it refused", { refused: { version: "1" } }, "refused"],
    ["the digest of the key that it trusts", { trustKey: { number: 3 } }, "trustKey"],
  ])("is the rest without %s", (_what, changes, key) => {
    const { [key]: _left, ...rest } = whole;
    expect(again({ ...whole, ...changes })).toEqual(rest);
  });

  it.each<[string, unknown]>([
    ["no Deployment", { ...previous, kind: "Pod" }],
    ["without a name", { ...previous, metadata: {} }],
    ["nothing", undefined],
  ])("reverts to no Deployment where that is %s", (_what, value) => {
    const { previous: _left, ...rest } = rollout;
    expect(again({ ...whole, rollout: { ...rollout, previous: value } })).toMatchObject({ rollout: rest });
    expect(again({ ...whole, rollout: { ...rollout, previous: value } })).not.toHaveProperty("rollout.previous");
  });

  it("sends a heartbeat once a minute where the period is missing, and has no CA where that is missing", () => {
    expect(again({ ...whole, membership: { ...membership, heartbeatPeriodSeconds: undefined } })).toMatchObject({
      membership: { heartbeatPeriodSeconds: 60 },
    });
    expect(again({ ...fresh, endpoints: [{ url: "https://hub" }] })).toMatchObject({
      endpoints: [{ url: "https://hub", caBundle: "" }],
    });
    expect(again({ ...whole, trustKey: { digest: "sha256:k" } })).toMatchObject({ trustKey: { number: 0 } });
  });
});

describe("withNewerKey: values that a person gives to an agent that cannot follow a revocation", () => {
  const newer = { ...hub, url: "https://new", trustKey: "sha256:n", trustKeyNumber: 4 };

  it("lead it to the newer key and address, and epochs that the former key signed count no more", () => {
    const { hubInfo: _left, ...rest } = whole;
    expect(withNewerKey(whole, { hub: newer })).toEqual({
      ...rest,
      trustKey: { digest: "sha256:n", number: 4 },
      epoch: 0,
      endpoints: [{ url: "https://new", caBundle: "ca" }],
    });
  });

  it.each<[string, AgentIdentity, object]>([
    ["are of another hub", whole, { ...newer, id: "sha256:other" }],
    ["name no key", whole, hub],
    ["name the key that it knows", whole, { ...newer, trustKeyNumber: 3 }],
    ["name an older key", whole, { ...newer, trustKeyNumber: 2 }],
    ["name a key without a number", whole, { ...newer, trustKeyNumber: undefined }],
    ["name the first key, which it knows", fresh, { ...newer, trustKeyNumber: 1 }],
  ])("change nothing where they %s", (_where, identity, said) => {
    expect(withNewerKey(identity, { hub: said as typeof newer })).toBeUndefined();
  });

  it("lead it from the first key to the second", () => {
    expect(withNewerKey(fresh, { hub: { ...newer, trustKeyNumber: 2 } })?.trustKey?.number).toBe(2);
  });
});

describe("makeIdentity: a new agent", () => {
  it("trusts the key that its values name, and else the hub's first one", () => {
    const keyed = { ...hub, trustKey: "sha256:k", trustKeyNumber: 3 };
    expect(makeIdentity({ hub: keyed, workspace: "w" }, "c", Buffer.alloc(64, 7)).trustKey).toEqual({
      digest: "sha256:k",
      number: 3,
    });
    expect(fresh.trustKey).toBeUndefined();
    expect([fresh.epoch, fresh.lastNonce]).toEqual([0, 0]);
  });

  it("has keys that follow from the random bytes alone, one half for each", () => {
    const other = Buffer.concat([Buffer.alloc(32, 7), Buffer.alloc(32, 8)]);
    const next = makeIdentity({ hub, workspace: "fleet" }, "uid-1", other);
    expect(next.keys.signing).toEqual(fresh.keys.signing);
    expect(next.keys.sealing).not.toEqual(fresh.keys.sealing);
  });
});
