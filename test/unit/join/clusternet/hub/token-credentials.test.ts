import { describe, expect, it } from "vitest";
import {
  desiredTokenObjects,
  keptTokenObjects,
  tokenCredentialsDue,
  deliverToToken,
  clusternetTokenStatuses,
} from "../../../../../src/join/clusternet/hub/desired-token-objects.ts";
import { accountCredentials, bootstrapCredentials } from "../../../../../src/join/clusternet/hub/token-credentials.ts";
import { textAt, valueAt } from "../../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { TokenSubject } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import { doorOf, hourMs, secretOf } from "../clusternet-scene.ts";
import { indexMembers } from "../../../../../src/planning/member-index.ts";

const at = (laterMs: number) => hubFacts({ nowMs: startMs + laterMs });
const random = Uint8Array.from({ length: 64 }, (_, index) => index);
const group = `system:bootstrappers:clusternet:${workspace}:door:eu-1`;
const withChildren = (subject: TokenSubject, ...children: KubeObject[]): TokenSubject => ({ ...subject, children });

function made(subject: TokenSubject, laterMs = 0): KubeObject {
  const [due] = tokenCredentialsDue(bootstrapCredentials, subject, at(laterMs));
  if (due === undefined) throw new Error("nothing is due");
  const [secret] = deliverToToken(bootstrapCredentials, subject, { due, issuedAt: "", random }, at(laterMs)).objects;
  if (secret === undefined) throw new Error("nothing was made");
  return secret;
}

describe("bootstrap tokens: how a Clusternet agent asks where the hub accepts them", () => {
  it("are as kubeadm writes them, in the group of one cluster, and end with the token of the file", () => {
    const secret = made(doorOf({ ttl: "1h" }));
    const decoded = Object.entries(secret["data"] as Record<string, string>).map(([key, text]) => [
      key,
      Buffer.from(text, "base64").toString("utf8"),
    ]);
    expect(secret).toMatchObject({
      metadata: {
        name: "bootstrap-token-abcdef",
        namespace: "kube-system",
        labels: { "rollcall.dev/token": "door", "rollcall.dev/owner-workspace": workspace },
      },
      type: "bootstrap.kubernetes.io/token",
    });
    expect(Object.fromEntries(decoded)).toEqual({
      "token-id": "abcdef",
      "token-secret": "ghijklmnopqrstuv",
      "usage-bootstrap-authentication": "true",
      "auth-extra-groups": group,
      expiration: "2027-01-15T09:00:00Z",
    });
    expect(made(doorOf())["data"]).not.toHaveProperty("expiration");
  });

  it("are one for each cluster, and made until each has its own", () => {
    const both = doorOf({ clusterNames: ["eu-2", "eu-1", "eu-1", "not.a.name"] });
    const dueOf = (...children: KubeObject[]) =>
      tokenCredentialsDue(bootstrapCredentials, withChildren(both, ...children), at(0)).map(({ purpose }) => purpose);
    expect(dueOf()).toEqual(["bootstrap:eu-1", "bootstrap:eu-2"]);
    expect(dueOf(made(doorOf()))).toEqual(["bootstrap:eu-2"]);
    expect(tokenCredentialsDue(bootstrapCredentials, both, at(0))[0]).toMatchObject({
      how: { kind: "random" },
      randomBytes: 64,
    });
  });

  const open = doorOf({ ttl: "1h" });
  const secret = made(open);
  const changed = (data: object): KubeObject => ({ ...secret, data: { ...(secret["data"] as object), ...data } });
  const encode = (text: string): string => Buffer.from(text).toString("base64");

  it.each<[string, KubeObject]>([
    ["for another cluster", changed({ "auth-extra-groups": encode(`${group}x`) })],
    ["with another end", changed({ expiration: encode("2028-01-15T09:00:00Z") })],
    ["without an end", changed({ expiration: "" })],
    ["in another namespace", { ...secret, metadata: { ...secret.metadata, namespace: workspace } }],
    ["of another kind", { ...secret, kind: "ConfigMap" }],
  ])("are not held for good %s: they are deleted, and another is made", (_how, child) => {
    const subject = withChildren(open, child);
    expect(keptTokenObjects(bootstrapCredentials, subject, at(0)).map(({ name }) => name)).toEqual(["door"]);
    expect(bootstrapCredentials.credentialOf(subject, "eu-1", at(0))).toBeUndefined();
    expect(tokenCredentialsDue(bootstrapCredentials, subject, at(0))).toMatchObject([{ purpose: "bootstrap:eu-1" }]);
  });

  it("are kept with the values while the token is open, and one where there are several", () => {
    const second = { ...secret, metadata: { ...secret.metadata, name: "bootstrap-token-zzzzzz" } };
    const subject = withChildren(open, second, secret);
    expect(keptTokenObjects(bootstrapCredentials, subject, at(0)).map(({ name }) => name)).toEqual([
      "door",
      "bootstrap-token-abcdef",
    ]);
    expect(keptTokenObjects(bootstrapCredentials, subject, at(hourMs))).toEqual([]);
    expect(bootstrapCredentials.credentialOf(withChildren(open, secret), "eu-1", at(0))).toEqual({
      text: "abcdef.ghijklmnopqrstuv",
      uid: "",
    });
  });

  it("have no objects of the workspace, and their group has the right to ask", () => {
    const objects = desiredTokenObjects(bootstrapCredentials, open, at(0));
    expect(objects.map(({ kind }) => kind)).toEqual(["ClusterRoleBinding"]);
    expect(valueAt(objects[0], "subjects")).toEqual([
      { kind: "Group", name: group, apiGroup: "rbac.authorization.k8s.io" },
    ]);
  });
});

describe("accounts: how a Clusternet agent asks where the hub makes one for each cluster", () => {
  const both = doorOf({ clusterNames: ["eu-2", "eu-1"] });
  const tokenOf = (clusterName: string, text = "opaque"): KubeObject => {
    const secret = secretOf(`clusternet.door.${clusterName}-token`, { token: text });
    return { ...secret, metadata: { ...secret.metadata, uid: `uid-of-${clusterName}` } };
  };
  const dueOf = (subject: TokenSubject, hub = at(0)) => tokenCredentialsDue(accountCredentials, subject, hub);

  it("are in the workspace with their tokens, and one binding gives all of them the right to ask", () => {
    const objects = desiredTokenObjects(accountCredentials, both, at(0));
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ServiceAccount clusternet.door.eu-1",
      "Secret clusternet.door.eu-1-token",
      "ServiceAccount clusternet.door.eu-2",
      "Secret clusternet.door.eu-2-token",
      `ClusterRoleBinding rollcall-clusternet-token.${workspace}.door`,
    ]);
    expect(valueAt(objects.at(-1), "subjects")).toEqual(
      ["eu-1", "eu-2"].map((name) => ({
        kind: "ServiceAccount",
        name: `clusternet.door.${name}`,
        namespace: workspace,
      })),
    );
    expect(valueAt(objects.at(-1), "roleRef", "name")).toBe("rollcall-clusternet-request");
  });

  it("are none of a token that names no cluster, or has ended", () => {
    expect(desiredTokenObjects(accountCredentials, doorOf({ clusterNames: [] }), at(0))).toEqual([]);
    expect(desiredTokenObjects(accountCredentials, doorOf({ clusterNames: ["eu-*"] }), at(0))).toEqual([]);
    expect(desiredTokenObjects(accountCredentials, doorOf({ ttl: "1h" }), at(hourMs))).toEqual([]);
    const filled = withChildren(doorOf({ ttl: "1h" }), tokenOf("eu-1"));
    expect(dueOf(filled)).toHaveLength(1);
    expect(dueOf(filled, at(hourMs))).toEqual([]);
    expect(dueOf(doorOf({ clusterNames: [] }))).toEqual([]);
  });

  it("have values as soon as each has its token, a document for each cluster", () => {
    expect(dueOf(withChildren(both, tokenOf("eu-1")))).toEqual([]);
    expect(dueOf(withChildren(both, tokenOf("eu-1"), tokenOf("eu-2", "")))).toEqual([]);
    const subject = withChildren(both, tokenOf("eu-1", "one"), tokenOf("eu-2", "two"));
    const [due] = dueOf(subject);
    if (due === undefined) throw new Error("nothing is due");
    expect(due).toMatchObject({ purpose: "values", workspace });
    const [values] = deliverToToken(accountCredentials, subject, { due, issuedAt: "", random }, at(0)).objects;
    const textOf = (name: string): string => Buffer.from(textAt(values, "data", name) ?? "", "base64").toString("utf8");
    expect(textOf("eu-1")).toContain('registrationToken: "one"');
    expect(textOf("eu-2")).toContain('registrationToken: "two"');
    expect(textOf("eu-1")).not.toContain("two");
  });

  it("make nothing themselves: the API server does", () => {
    expect(accountCredentials.credentialsDue(both, ["eu-1"], at(0))).toEqual([]);
    expect(accountCredentials.keptObjects(both, ["eu-1"], at(0))).toEqual([]);
    const due = { purpose: "x", workspace, how: { kind: "random" }, reason: "" } as const;
    expect(accountCredentials.deliver(both, { due, issuedAt: "", random }, at(0))).toEqual({
      objects: [],
      statusWrites: [],
    });
  });
});

describe("tokenStatuses: a Clusternet token", () => {
  const readyOf = (...children: KubeObject[]) => {
    const subject = withChildren(doorOf({ clusterNames: ["eu-1", "eu-2"] }), ...children);
    const [write] = clusternetTokenStatuses(subject, indexMembers([]), at(0));
    const conditions = write?.status["conditions"] as readonly { type: string; status: string }[];
    return [conditions.find(({ type }) => type === "Ready")?.status, write?.status["secretName"]];
  };

  it("is ready once its values have each of its clusters", () => {
    expect(readyOf()[0]).toBe("False");
    expect(readyOf(secretOf("door", { "eu-1": "v" }))[0]).toBe("False");
    expect(readyOf(secretOf("door", { "eu-1": "v", "eu-2": "v" }))[0]).toBe("True");
    expect(readyOf(secretOf("other", { "eu-1": "v", "eu-2": "v" }))[0]).toBe("False");
  });
});
