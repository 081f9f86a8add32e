import { describe, expect, it } from "vitest";
import type { MemberState } from "../../../src/model/member-state.ts";
import type { Member } from "../../../src/model/member.ts";
import { movedState } from "../../../src/planning/moved-state.ts";

const from = { workspace: "fleet", name: "old" };

function moved(state: MemberState | undefined, successor?: MemberState, workspace = "fleet"): MemberState {
  return movedState({ ...from, state } as unknown as Member, { workspace, state: successor });
}

describe("the state that a successor takes over", () => {
  it("is where it comes from, and nothing else, after a state that was lost", () => {
    expect(moved(undefined)).toEqual({ movedFrom: from });
  });

  it("is identity, join, labels, installation and refused version, without tokens of the former name", () => {
    const join = { time: "t", registration: "r", initiated: "agent" as const, token: "edge", tokenUse: 2 };
    const install = { manifestDigest: "m", kubeconfigDigest: "k", redeployGeneration: 1, time: "t" };
    const state: MemberState = {
      clientID: "id",
      keys: { signing: "s", sealing: "e" },
      join: { ...join, bootstrap: 4 },
      labels: { agent: { zone: "x" } },
      install: { ...install, bootstrap: 4 },
      installing: { since: "t", namespace: "there" },
      refusedVersion: "1.2.0",
      credential: { number: 3, issuedAt: "t", expiresAt: "t" },
    };
    expect(moved(state)).toEqual({
      clientID: "id",
      keys: { signing: "s", sealing: "e" },
      join,
      labels: { agent: { zone: "x" } },
      install,
      installing: { since: "t", namespace: "there" },
      refusedVersion: "1.2.0",
      lastCredentialNumber: 3,
      movedFrom: from,
    });
  });

  it("has used no token of another workspace: one of the same name has registrations of its own", () => {
    const join = { time: "t", registration: "r", initiated: "agent" as const, token: "edge" };
    expect(moved({ join: { ...join, tokenUse: 8 } }, undefined, "labs").join).toEqual(join);
    expect(moved({ join: { ...join, tokenUse: 8 } }).join).toEqual({ ...join, tokenUse: 8 });
  });

  it("keeps what the successor has and the former one has not", () => {
    const own = { clientID: "own", origin: { isDeclared: true } } as MemberState;
    expect(moved({}, own)).toEqual({ ...own, movedFrom: from });
    expect(moved({ clientID: "id" }, own).clientID).toBe("id");
  });

  it.each([
    { last: 5, held: 3, own: 2, is: 5 },
    { last: 1, held: 3, own: 2, is: 3 },
    { last: 1, held: 3, own: 7, is: 7 },
    { last: undefined, held: undefined, own: 7, is: 7 },
  ])("never uses a credential's number twice: $last, $held and $own are $is", ({ last, held, own, is }) => {
    const state = {
      ...(last === undefined ? {} : { lastCredentialNumber: last }),
      ...(held === undefined ? {} : { credential: { number: held, issuedAt: "t", expiresAt: "t" } }),
    };
    expect(moved(state, { lastCredentialNumber: own }).lastCredentialNumber).toBe(is);
  });
});
