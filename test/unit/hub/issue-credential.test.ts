import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { createHubWriter } from "../../../src/hub/hub-writer.ts";
import { issueAndDeliver, secretValue } from "../../../src/hub/issue-credential.ts";
import type { CredentialDue, Delivery, NewCredential } from "../../../src/join/join.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { openMemberWorld } from "./members/member-world.ts";
import { coreObject } from "./objects.ts";

const encode = (text: string): string => Buffer.from(text).toString("base64");
const account = coreObject("ServiceAccount", "agent");

interface Given {
  readonly objects?: readonly KubeObject[];
  readonly delivery?: Partial<Delivery>;
  readonly randomBytes?: number;
}

/** One credential that is due, the value that the protocol is given for it, and what the hub is asked for. */
async function issue(how: CredentialDue["how"], { objects = [], delivery = {}, randomBytes }: Given = {}) {
  const world = await openMemberWorld();
  await world.addCluster("eu-1", { state: {} });
  for (const object of [account, ...objects]) await world.put(object);
  const write = createHubWriter({ ...world.ports, log: silentLog }, world.signal);
  const given: NewCredential[] = [];
  const deliver = (_subject: unknown, credential: NewCredential): Promise<Delivery> => {
    given.push(credential);
    return Promise.resolve({ objects: [], statusWrites: [], ...delivery });
  };
  const { member } = world.scopeOf("eu-1");
  const due = { purpose: "working", workspace: "fleet", how, reason: "test", ...(randomBytes ? { randomBytes } : {}) };
  await issueAndDeliver(
    { ...world.ports, write },
    { ...rollcallProtocol, deliver },
    { subject: { kind: "member", member }, due, signal: world.signal },
  );
  return { given, asked: world.asked(), world };
}

describe("issueAndDeliver", () => {
  it("makes as many random bytes as are wanted", async () => {
    expect((await issue({ kind: "random" }, { randomBytes: 3 })).given[0]?.random).toHaveLength(3);
    expect((await issue({ kind: "random" })).given[0]).toMatchObject({ random: new Uint8Array(0) });
  });

  it.each([
    { reason: "is not there", objects: [], token: undefined },
    { reason: "has no token yet", objects: [coreObject("Secret", "s", {}, { data: {} })], token: undefined },
    { reason: "is filled", objects: [coreObject("Secret", "s", {}, { data: { token: encode("t") } })], token: "t" },
  ])("of a token Secret that $reason delivers $token", async ({ objects, token }) => {
    const { given } = await issue({ kind: "token-secret", secret: "s" }, { objects });
    expect(given.map((credential) => credential.token)).toEqual(token === undefined ? [] : [token]);
  });

  it("makes the Secret that a token is bound to before it asks for the token", async () => {
    const boundSecret = coreObject("Secret", "bound");
    const how = { kind: "token-request", account: "agent", expirationSeconds: 600 } as const;
    const { asked, given } = await issue({ ...how, boundSecret });
    expect(asked).toEqual(["apply Secret/bound", "token ServiceAccount/agent"]);
    expect(given[0]?.expiresAt).toBeDefined();
    expect((await issue(how)).asked).toEqual(["token ServiceAccount/agent"]);
  });

  it("writes the state before the objects: a crash between them loses no credential", async () => {
    const objects = [coreObject("Secret", "answer")];
    const { asked, world } = await issue({ kind: "random" }, { delivery: { state: { clientID: "uid-1" }, objects } });
    expect(asked).toEqual(["apply ConfigMap/rollcall-cluster-eu-1", "apply Secret/answer"]);
    expect(world.stateOf("eu-1")).toEqual({ clientID: "uid-1" });
  });

  it.each([
    { live: "Opaque", asked: ["apply Secret/answer"] },
    { live: "rollcall.dev/other", asked: ["delete Secret/answer", "apply Secret/answer"] },
  ])("replaces a Secret of type $live by one of type Opaque", async ({ live, asked }) => {
    const answer = (type: string) => coreObject("Secret", "answer", {}, { type });
    const given = { objects: [answer(live)], delivery: { objects: [answer("Opaque")] } };
    expect((await issue({ kind: "random" }, given)).asked).toEqual(asked);
  });
});

describe("secretValue", () => {
  it.each([
    { reason: "no data", fields: {}, value: undefined },
    { reason: "data of null", fields: { data: null }, value: undefined },
    { reason: "another key", fields: { data: { other: encode("x") } }, value: undefined },
    { reason: "an empty value", fields: { data: { key: "" } }, value: undefined },
    { reason: "the key", fields: { data: { key: encode("x") } }, value: "x" },
  ])("of a Secret with $reason is $value", ({ fields, value }) => {
    expect(secretValue(coreObject("Secret", "s", {}, fields), "key")).toBe(value);
  });
});
