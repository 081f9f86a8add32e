import { describe, expect, it } from "vitest";
import { expiredRegistrations } from "../../../../../src/join/fleet/hub/expired-registrations.ts";
import { fleetAnswerLifeMs } from "../../../../../src/model/dialects/fleet.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, startMs } from "../../hub-scene.ts";
import { fleetMemberOf, grantedMemory, requestOf } from "../fleet-scene.ts";
import { indexMembers } from "../../../../../src/planning/member-index.ts";

const member = fleetMemberOf("eu-1", { state: grantedMemory() });
const minuteMs = 60_000;
const collect = (registrations: readonly KubeObject[], laterMs: number, members = [member]): string[] =>
  expiredRegistrations(registrations, indexMembers(members), hubFacts({ nowMs: startMs + laterMs })).map(
    ({ name }) => name,
  );
const many = (count: number, status?: object): KubeObject[] =>
  Array.from({ length: count }, (_, index) => ({
    ...requestOf({ token: "edge", clientID: `made-up-${index}`, name: `request-${index}` }),
    ...(status === undefined ? {} : { status }),
  }));

describe("expired: what is kept of Fleet's registrations", () => {
  it("is every granted one of an agent that is no member here: its rights hang on it", () => {
    const granted = requestOf({ clientID: "uid-2", name: "request-g", isGranted: true });
    const odd = requestOf({ clientID: "a b", name: "request-o", isGranted: true });
    expect(collect([granted, odd], 10 * fleetAnswerLifeMs)).toEqual([]);
  });

  it("is the one by which an agent is in, by its uid and not by its name", () => {
    const own = requestOf({ name: "request-a", isGranted: true });
    const other = { ...own, metadata: { ...own.metadata, uid: "another" } };
    expect(collect([own], 0)).toEqual([]);
    expect(collect([other], 0)).toEqual(["request-a"]);
  });

  it("is one of the same moment as that by which its agent is in, and none before", () => {
    const asked = (askedMs: number) => requestOf({ token: "edge", name: "request-b", askedMs });
    expect(collect([asked(startMs)], 0)).toEqual([]);
    expect(collect([asked(startMs - 1)], 0)).toEqual(["request-b"]);
  });

  it("is any number that wait for a minute at most, and a hundred of a token after that", () => {
    expect(collect(many(101), minuteMs)).toEqual([]);
    expect(collect(many(101), minuteMs + 1)).toEqual(["request-100"]);
  });

  it("A7: is a hundred refused ones of a token at once, beside a hundred that wait", () => {
    expect(collect(many(100, { granted: false }), 0)).toEqual([]);
    expect(collect(many(101, { granted: false }), 0)).toEqual(["request-100"]);
    const waiting = Array.from({ length: 100 }, (_, index) =>
      requestOf({ token: "edge", clientID: `other-${index}`, name: `request-w${index}` }),
    );
    expect(collect([...many(100, { granted: false }), ...waiting], 2 * minuteMs)).toEqual([]);
  });

  it("is nothing of members that never joined", () => {
    const declared = fleetMemberOf("eu-1", { spec: { clientID: "uid-1" } });
    expect(collect([requestOf({ token: "edge", askedMs: startMs - 1 })], 0, [declared])).toEqual([]);
  });
});
