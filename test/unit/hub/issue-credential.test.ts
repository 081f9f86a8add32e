import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { createHubWriter } from "../../../src/hub/hub-writer.ts";
import { issueAndDeliver, secretValue } from "../../../src/hub/issue-credential.ts";
import type { CredentialDue, Delivery, NewCredential } from "../../../src/join/join.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
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
  const logged: unknown[] = [];
  const log = { ...silentLog, info: (_text: string, fields: unknown) => void logged.push(fields) };
  const isIssued = await issueAndDeliver(
    { ...world.ports, write, log },
    { ...rollcallProtocol, deliver },
    { subject: { kind: "member", member }, due, signal: world.signal },
  );
  return { given, asked: world.asked(), world, isIssued, logged };
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

  it("A263 keeps the agent that is admitted while a credential is issued for the one before it, and delivers none", async () => {
    const world = await openMemberWorld();
    const keys = { signing: "old", sealing: "old" };
    await world.addCluster("eu-1", { state: { clientID: "uid-1", keys } });
    await world.put(account);
    const admitted = { clientID: "uid-2", keys: { signing: "new", sealing: "new" } };
    const registrations = createHubWriter(world.ports, world.signal);
    const requestToken: typeof world.ports.hubApi.requestToken = async (request) => {
      await registrations.updateState({ workspace: "fleet", name: "eu-1" }, () => admitted);
      return world.hub.api.requestToken(request);
    };
    const ports = { ...world.ports, hubApi: { ...world.ports.hubApi, requestToken } };
    const { member } = world.scopeOf("eu-1");
    const answer = coreObject("Secret", "answer");
    const deliver = (): Promise<Delivery> =>
      Promise.resolve({ objects: [answer], statusWrites: [], state: { ...member.state, answeredNonce: 1 } });
    const how = { kind: "token-request", account: "agent", expirationSeconds: 600 } as const;
    const issued = issueAndDeliver(
      { ...ports, write: createHubWriter(ports, world.signal) },
      { ...rollcallProtocol, deliver },
      {
        subject: { kind: "member", member },
        due: { purpose: "renewal", workspace: "fleet", how, reason: "test" },
        signal: world.signal,
      },
    );
    await expect(issued).rejects.toMatchObject({ code: "E_KUBE_CONFLICT" });
    expect(world.stateOf("eu-1")).toEqual(admitted);
    expect(world.get(answer)).toBeUndefined();
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

describe("issueAndDeliver", () => {
  const how = { kind: "token-request", account: "agent", expirationSeconds: 600 } as const;

  it("is false as long as the credential waits for another party, and delivers and logs nothing", async () => {
    const { isIssued, logged, asked } = await issue({ kind: "token-secret", secret: "s" });
    expect([isIssued, logged, asked]).toEqual([false, [], []]);
  });

  it("logs what was issued and to which object, and never its value", async () => {
    const { isIssued, logged, given } = await issue(how);
    expect(isIssued).toBe(true);
    expect(logged).toEqual([{ object: "Cluster/fleet/eu-1", purpose: "working", reason: "test" }]);
    expect(given[0]?.token).toBeDefined();
  });

  it("binds a token to the very Secret that it made, in the workspace and for the time that is due", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    await world.put(account);
    const requests: object[] = [];
    const requestToken = (request: object) => {
      requests.push(request);
      return Promise.resolve({ token: "t", expiresAt: "2027-01-15T09:00:00Z" });
    };
    const ports = { ...world.ports, hubApi: { ...world.ports.hubApi, requestToken } };
    const write = createHubWriter(ports, world.signal);
    const given: NewCredential[] = [];
    const deliver = (_subject: unknown, credential: NewCredential): Promise<Delivery> => {
      given.push(credential);
      return Promise.resolve({ objects: [], statusWrites: [] });
    };
    const { member } = world.scopeOf("eu-1");
    const due: CredentialDue = {
      purpose: "working",
      workspace: "fleet",
      how: { ...how, boundSecret: coreObject("Secret", "bound", { uid: "" }) },
      reason: "test",
    };
    const subject = { kind: "member", member } as const;
    await issueAndDeliver(
      { ...ports, write },
      { ...rollcallProtocol, deliver },
      { subject, due, signal: world.signal },
    );
    const uid = world.get(coreObject("Secret", "bound"))?.metadata.uid;
    expect(uid).toBeDefined();
    expect(requests).toEqual([
      {
        namespace: "fleet",
        serviceAccount: "agent",
        expirationSeconds: 600,
        boundSecret: { name: "bound", uid },
        signal: world.signal,
      },
    ]);
    expect(given).toMatchObject([{ token: "t", expiresAt: "2027-01-15T09:00:00Z", issuedAt: "2027-01-15T08:00:00Z" }]);
  });

  it("deletes the very Secret of another type that it saw", async () => {
    const answer = (type: string) => coreObject("Secret", "answer", {}, { type });
    const given = { objects: [answer("rollcall.dev/other")], delivery: { objects: [answer("Opaque")] } };
    const { world } = await issue({ kind: "random" }, given);
    const { uid, resourceVersion } = world.requests[0]?.object as { uid?: string; resourceVersion?: string };
    expect([typeof uid, typeof resourceVersion]).toEqual(["string", "string"]);
  });

  it.each<{ owner: string; labels: Record<string, string> }>([
    { owner: "of another cluster", labels: { "rollcall.dev/cluster": "us-1" } },
    { owner: "of another program", labels: {} },
  ])("A250 leaves a Secret $owner as it is, whatever its type", async ({ labels }) => {
    const answer = (type: string, own: Record<string, string>) =>
      coreObject("Secret", "answer", { labels: own }, { type });
    const given = {
      objects: [answer("rollcall.dev/other", labels)],
      delivery: { objects: [answer("Opaque", { "rollcall.dev/cluster": "eu-1" })] },
    };
    await expect(issue({ kind: "random" }, given)).rejects.toMatchObject({ code: "E_KUBE_EXISTS" });
  });

  it("deletes no other object than a Secret because of its type", async () => {
    const map = (type: string) => coreObject("ConfigMap", "answer", {}, { type });
    const given = { objects: [map("a")], delivery: { objects: [map("b")] } };
    expect((await issue({ kind: "random" }, given)).asked).toEqual(["apply ConfigMap/answer"]);
  });

  it("writes each status after the objects that it reports", async () => {
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
    const statusWrites = [{ ref, status: { phase: "Joining" } }];
    const delivery = { objects: [coreObject("Secret", "answer")], statusWrites };
    expect((await issue({ kind: "random" }, { delivery })).asked).toEqual([
      "apply Secret/answer",
      "status Cluster/eu-1",
    ]);
  });

  it("is not issued where an object of the delivery is refused: no status reports it", async () => {
    const world = await openMemberWorld();
    await world.addCluster("eu-1", { state: {} });
    const refused = new AppError("E_KUBE_FORBIDDEN", "apply");
    const write = { ...createHubWriter(world.ports, world.signal), apply: () => Promise.reject(refused) };
    const { member } = world.scopeOf("eu-1");
    const ref = { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" };
    const statusWrites = [{ ref, status: { phase: "Joining" } }];
    const deliver = () => Promise.resolve({ objects: [coreObject("Secret", "answer")], statusWrites });
    const due: CredentialDue = { purpose: "working", workspace: "fleet", how: { kind: "random" }, reason: "test" };
    const options = { subject: { kind: "member", member }, due, signal: world.signal } as const;
    await expect(issueAndDeliver({ ...world.ports, write }, { ...rollcallProtocol, deliver }, options)).rejects.toBe(
      refused,
    );
    expect(world.asked()).toEqual([]);
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
