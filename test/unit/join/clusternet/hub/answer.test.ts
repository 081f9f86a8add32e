import { describe, expect, it } from "vitest";
import { deliverAnswer, memberCredentialsDue, revokedAnswer } from "../../../../../src/join/clusternet/hub/answer.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { Member } from "../../../../../src/model/member.ts";
import { hubFacts, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import {
  clusternetMemberOf,
  granted,
  home,
  id,
  leave,
  objectsOf,
  requestOf,
  revoked,
  secretOf,
} from "../clusternet-scene.ts";

const state = granted();
const accountSecret = `clusternet-agent.${id}-token`;
const objects = objectsOf({ state }).filter(({ metadata }) => metadata.name !== accountSecret);
const token = secretOf(accountSecret, { token: "opaque" });
const answered = {
  result: "Approved",
  dedicatedNamespace: home,
  managedClusterName: "eu-1",
  token: Buffer.from("opaque").toString("base64"),
  caCertificate: Buffer.from("ca").toString("base64"),
};
const admitted = (parts: MemberParts = {}, request: KubeObject = requestOf()): Member =>
  clusternetMemberOf({ state, ...parts, children: parts.children ?? [...objects, token, request] });
const dueOf = (member: Member) => memberCredentialsDue(member, hubFacts());

describe("memberCredentialsDue: the answer to a Clusternet agent that was admitted", () => {
  it("is the token of the agent's own account", () => {
    expect(dueOf(admitted())).toEqual([
      {
        purpose: "working",
        workspace,
        how: { kind: "token-secret", secret: accountSecret },
        reason: "the agent was admitted",
      },
    ]);
  });

  it("is due while the API server has not filled that in, and not once all of it is there", () => {
    expect(dueOf(admitted({ children: [...objects, requestOf({ status: answered })] }))).toHaveLength(1);
    expect(dueOf(admitted({}, requestOf({ status: answered })))).toEqual([]);
  });

  it.each(Object.keys(answered))("is due again when its %s is another one", (key) => {
    expect(dueOf(admitted({}, requestOf({ status: { ...answered, [key]: "other" } })))).toHaveLength(1);
  });

  it("is due again where there is a refusal beside it", () => {
    expect(dueOf(admitted({}, requestOf({ status: { ...answered, errorMessage: "no" } })))).toHaveLength(1);
  });

  it.each<[string, Member]>([
    ["for a cluster that leaves", admitted({ annotations: leave })],
    ["for a revoked one", admitted({ annotations: revoked })],
    ["for one that nobody was let in for", admitted({ state: { clientID: id } })],
    ["without a request", admitted({ children: [...objects, token] })],
    ["on a request that was made anew under its name", admitted({}, requestOf({ metadata: { uid: "uid-2" } }))],
  ])("is not due %s", (_reason, member) => {
    expect(dueOf(member)).toEqual([]);
  });

  it.each(["RoleBinding", "ClusterRoleBinding", "ManagedCluster"])(
    "is not due before its %s is there: the agent uses it at once",
    (kind) => {
      const children = [...objects.filter((object) => object.kind !== kind), token, requestOf()];
      expect(dueOf(admitted({ children }))).toEqual([]);
    },
  );

  it("is not due before the ManagedCluster has the label by which the agent finds it", () => {
    const unlabeled = objects.map((object) =>
      object.kind === "ManagedCluster" ? { ...object, metadata: { ...object.metadata, labels: {} } } : object,
    );
    expect(dueOf(admitted({ children: [...unlabeled, token, requestOf()] }))).toEqual([]);
  });
});

describe("what an agent of Clusternet reads in its request", () => {
  const deliver = (member: Member, hub = hubFacts()) => {
    const due = { purpose: "working", workspace, how: { kind: "random" }, reason: "" } as const;
    return deliverAnswer(member, { due, token: "opaque", issuedAt: "", random: new Uint8Array() }, hub).statusWrites;
  };

  it("is its credential, its place and the hub's CA", () => {
    expect(deliver(admitted())).toMatchObject([{ ref: { name: `clusternet-${id}` }, status: answered }]);
  });

  it("is the CA that its file declares, and none where there is none", () => {
    const spec = { hubEndpoint: { url: "https://other", caBundle: "theirs" } };
    const [write] = deliver(admitted({ spec }));
    expect(write?.status["caCertificate"]).toBe(Buffer.from("theirs").toString("base64"));
    const [bare] = deliver(admitted(), hubFacts({ endpoint: { url: "https://hub", caBundle: "" } }));
    expect(bare?.status).not.toHaveProperty("caCertificate");
  });

  it("is nothing where the grant was forgotten meanwhile", () => {
    expect(deliver(admitted({ state: {} }))).toEqual([]);
  });

  it("is a refusal without a credential once the cluster is revoked, in its own request alone", () => {
    expect(revokedAnswer(admitted())).toMatchObject([
      { ref: { name: `clusternet-${id}` }, status: { result: "Denied" } },
    ]);
    expect(revokedAnswer(admitted())[0]?.status).not.toHaveProperty("token");
    expect(revokedAnswer(admitted({}, requestOf({ metadata: { uid: "uid-2" } })))).toEqual([]);
    expect(revokedAnswer(admitted({ children: [] }))).toEqual([]);
    expect(revokedAnswer(admitted({ state: { clientID: id } }))).toEqual([]);
  });
});
