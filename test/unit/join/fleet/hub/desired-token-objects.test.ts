import { describe, expect, it } from "vitest";
import {
  deliverTokenValues,
  desiredTokenObjects,
  fleetTokenStatuses,
  tokenAccountOf,
  tokenCredentialsDue,
} from "../../../../../src/join/fleet/hub/desired-token-objects.ts";
import { valueAt } from "../../../../../src/core/read-json.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import type { TokenSubject } from "../../../../../src/model/member.ts";
import { hubFacts, startMs, workspace } from "../../hub-scene.ts";
import { accountOf, fleetMemberOf, fleetTokenOf, tokenUid } from "../fleet-scene.ts";
import { indexMembers } from "../../../../../src/planning/member-index.ts";

const account = accountOf("edge");
const serviceAccount = (name: string, namespace = workspace): KubeObject => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name, namespace },
});
const bare: TokenSubject = { ...fleetTokenOf("edge"), children: [] };
const withChildren = (...children: KubeObject[]): TokenSubject => ({ ...bare, children });
const hourMs = 3_600_000;

describe("tokenAccountOf: the account of a Fleet token", () => {
  it("is named after the uid of Fleet's object, and none before that is there", () => {
    expect(tokenAccountOf(fleetTokenOf("edge"))).toBe(account);
    expect(tokenAccountOf(bare)).toBeUndefined();
    const [object] = fleetTokenOf("edge").children;
    const uidless = { ...object, metadata: { name: "edge", namespace: workspace } } as KubeObject;
    expect(tokenAccountOf(withChildren(uidless))).toBeUndefined();
  });

  it("stays when Fleet's object is made again: the values that were handed out name it", () => {
    const [object] = fleetTokenOf("edge").children;
    const again = { ...object, metadata: { name: "edge", namespace: workspace, uid: "another" } } as KubeObject;
    expect(tokenAccountOf(withChildren(again, serviceAccount("former")))).toBe("former");
    expect(tokenAccountOf(withChildren(again, serviceAccount("former", "other")))).toBe("edge-another");
    expect(tokenAccountOf(withChildren({ ...serviceAccount("secret"), kind: "Secret" }))).toBeUndefined();
  });
});

describe("desiredTokenObjects: the rights of a Fleet token", () => {
  it("are given to its own account alone", () => {
    const binding = desiredTokenObjects(fleetTokenOf("edge"), hubFacts()).find(({ kind }) => kind === "RoleBinding");
    expect(valueAt(binding, "subjects")).toEqual([{ kind: "ServiceAccount", name: account, namespace: workspace }]);
    expect(valueAt(binding, "roleRef")).toMatchObject({ kind: "Role", name: `${account}-role` });
  });
});

describe("tokenCredentialsDue: the values of a Fleet token", () => {
  const due = (subject: TokenSubject, laterMs = 0): string[] =>
    tokenCredentialsDue(subject, hubFacts({ nowMs: startMs + laterMs })).map(({ how }) =>
      how.kind === "token-secret" ? how.secret : how.kind,
    );
  const values = (subject: TokenSubject): KubeObject => {
    const made = {
      due: { purpose: "token", workspace, how: { kind: "random" }, reason: "" },
      token: "opaque",
      issuedAt: "",
      random: new Uint8Array(),
    } as const;
    const [secret] = deliverTokenValues(subject, made, hubFacts()).objects;
    if (secret === undefined) throw new Error("no values");
    return secret;
  };

  it("are made of the token of its account, as soon as that has a name", () => {
    expect(due(fleetTokenOf("edge"))).toEqual([`${account}-token`]);
    expect(due(bare)).toEqual([]);
    const ended = fleetTokenOf("edge", { ttl: "1h" });
    expect([due(ended, hourMs - 1), due(ended, hourMs)]).toEqual([[`${account}-token`], []]);
  });

  it("are made again of another account, and where a user emptied them", () => {
    const secret = values(fleetTokenOf("edge"));
    expect(due(fleetTokenOf("edge", {}, [secret]))).toEqual([]);
    expect(due(fleetTokenOf("edge", {}, [{ ...secret, data: {} }]))).toHaveLength(1);
    expect(
      due(fleetTokenOf("edge", {}, [{ ...secret, metadata: { ...secret.metadata, annotations: {} } }])),
    ).toHaveLength(1);
    expect(due(withChildren(serviceAccount("former"), secret))).toEqual(["former-token"]);
  });

  it("are shown in the status of the token, and in Fleet's while it is open", () => {
    const ending = fleetTokenOf("edge", { ttl: "1h" });
    const secret = values(ending);
    const kinds = (subject: TokenSubject, laterMs = 0): string[] =>
      fleetTokenStatuses(subject, indexMembers([fleetMemberOf("eu-1")]), hubFacts({ nowMs: startMs + laterMs })).map(
        ({ ref }) => ref.type.group,
      );
    expect(kinds(fleetTokenOf("edge"))).toEqual(["rollcall.dev"]);
    expect(kinds(fleetTokenOf("edge", {}, [secret]))).toEqual(["rollcall.dev", "fleet.cattle.io"]);
    expect(kinds(ending)).toEqual(["rollcall.dev", "fleet.cattle.io"]);
    expect(kinds(ending, hourMs)).toEqual(["rollcall.dev"]);
    expect(kinds({ ...ending, children: [] })).toEqual(["rollcall.dev"]);
    expect(tokenUid).toHaveLength(36);
  });
});
