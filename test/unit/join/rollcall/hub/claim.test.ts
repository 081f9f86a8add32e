import { describe, expect, it } from "vitest";
import type { AdmissionRule } from "../../../../../src/join/rollcall/hub/admission-rule.ts";
import { findTarget } from "../../../../../src/join/rollcall/hub/claim.ts";
import type { RegistrationRequest } from "../../../../../src/join/rollcall/hub/registration-request.ts";
import { annotationKeys } from "../../../../../src/model/well-known.ts";
import { copiedMembers } from "../../copied-members.ts";
import { memberOf } from "../../hub-scene.ts";

const asked = (fields: Partial<RegistrationRequest>): RegistrationRequest =>
  ({ clientID: "uid-1", ...fields }) as unknown as RegistrationRequest;
const ruleOf = (fields: Partial<AdmissionRule>): AdmissionRule =>
  ({ kind: "token", mayCreate: () => true, onlyName: undefined, ...fields }) as unknown as AdmissionRule;
const forOne = (onlyName: string) => ruleOf({ kind: "internal", onlyName });
const forNamed = (onlyName: string) => ruleOf({ onlyName });
const declared = (name: string, clientID: string) => memberOf(name, { spec: { clientID } });
const remembered = (name: string, clientID: string) => memberOf(name, { state: { clientID } });
const moved = memberOf("eu-1", {
  state: { clientID: "uid-1" },
  annotations: { [annotationKeys.movedTo]: "fleet/eu-2" },
});

describe("findTarget, by the token of one cluster", () => {
  it.each([
    { of: "whose file has the clientID", members: [declared("eu-1", "uid-1")], is: "eu-1" },
    { of: "that had the clientID before", members: [remembered("eu-1", "uid-1")], is: "eu-1" },
    { of: "that nobody was", members: [memberOf("eu-1")], is: "eu-1" },
    {
      of: "beside another with the clientID",
      members: [memberOf("eu-1"), remembered("a", "uid-1")],
      is: "ClientIDTaken",
    },
    { of: "that is deleted", members: [], is: "UnknownToken" },
    { of: "that becomes another one", members: [moved], is: "UnknownToken" },
  ])("finds the cluster $of: $is", ({ members, is }) => {
    const target = findTarget(asked({}), forOne("eu-1"), copiedMembers(members));
    expect(target.kind === "member" ? target.member.name : target.kind === "refusal" && target.reason).toBe(is);
  });
});

describe("findTarget, by a token of many", () => {
  const both = [declared("eu-1", "uid-1"), remembered("eu-2", "uid-1")];
  const owner = remembered("eu-1", "uid-1");
  it.each([
    { asks: "the clientID of two", request: asked({}), members: both, is: "ClientIDAmbiguous" },
    {
      asks: "its clientID, whatever name it asks for",
      request: asked({ clusterName: "other" }),
      members: [owner],
      is: "eu-1",
    },
    { asks: "the name of a cluster", request: asked({ clusterName: "eu-3" }), members: [memberOf("eu-3")], is: "eu-3" },
    { asks: "a new name", request: asked({ clusterName: "new" }), members: [], is: "+new" },
    { asks: "a name that no cluster can have", request: asked({ clusterName: "No" }), members: [], is: "NameInvalid" },
    { asks: "no name", request: asked({ clientID: "Uid_1" }), members: [], is: "+cluster-uid-1" },
  ])("takes a request with $asks for $is", ({ request, members, is }) => {
    const target = findTarget(request, ruleOf({}), copiedMembers(members));
    expect(
      target.kind === "member" ? target.member.name : target.kind === "new" ? `+${target.name}` : target.reason,
    ).toBe(is);
  });

  it.each([
    { asks: "the name", request: asked({ clientID: "uid-9", clusterName: "eu-1" }), rule: ruleOf({}) },
    { asks: "any name that its token allows alone", request: asked({ clientID: "uid-9" }), rule: forNamed("eu-1") },
  ])("A283 takes no request with $asks for a cluster that becomes another one", ({ request, rule }) => {
    const target = findTarget(request, rule, copiedMembers([moved]));
    expect(target).toEqual({ kind: "refusal", reason: "ClusterMoving" });
  });

  it.each([
    { rule: ruleOf({ mayCreate: () => false }), request: asked({}), reason: "NameNeeded" },
    { rule: ruleOf({ mayCreate: () => false }), request: asked({ clusterName: "new" }), reason: "NameNotAllowed" },
    { rule: ruleOf({ mayCreate: () => false, onlyName: "one" }), request: asked({}), reason: "NameNotAllowed" },
  ])("refuses a name that its rule does not allow: $reason", ({ rule, request, reason }) => {
    expect(findTarget(request, rule, copiedMembers([]))).toEqual({ kind: "refusal", reason });
  });
});
