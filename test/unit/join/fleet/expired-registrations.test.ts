import { describe, expect, it } from "vitest";
import { expiredRegistrations } from "../../../../src/join/fleet/hub/expired-registrations.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubFacts, startMs } from "../hub-scene.ts";
import { fleetMemberOf, grantedMemory, requestOf } from "./fleet-scene.ts";
import type { Asked } from "./fleet-scene.ts";
import { indexMembers } from "../../../../src/planning/member-index.ts";

const minuteMs = 60_000;
const member = fleetMemberOf("eu-1", { state: grantedMemory() });

function collect(asked: readonly Asked[], laterMs = 0): string[] {
  const registrations: KubeObject[] = asked.map(requestOf);
  const refs = expiredRegistrations(registrations, indexMembers([member]), hubFacts({ nowMs: startMs + laterMs }));
  return refs.map(({ name }) => name);
}

describe("expired: Fleet's registrations", () => {
  const granted: Asked = { name: "request-a", isGranted: true };

  it("keeps the one by which an agent is in, however old it is", () => {
    expect(collect([granted], 400 * 24 * 60 * minuteMs)).toEqual([]);
  });

  it("takes the former ones of an agent that joined again", () => {
    const former: Asked = { name: "request-0", isGranted: true, askedMs: startMs - 5 * minuteMs };
    expect(collect([former, granted])).toEqual(["request-0"]);
  });

  it("takes what was asked before the grant and never answered", () => {
    expect(collect([{ name: "request-0", askedMs: startMs - minuteMs }, granted])).toEqual(["request-0"]);
  });

  it("keeps the newest of an agent that asks every minute in vain, and takes the others, the oldest first", () => {
    const asked = [3, 1, 2, 0].map((minute) => ({
      clientID: "uid-2",
      name: `request-${minute}`,
      askedMs: startMs + minute * minuteMs,
    }));
    expect(collect(asked, 4 * minuteMs)).toEqual(["request-0", "request-1", "request-2"]);
  });

  it("A177 keeps a request that waits when the holder of another token, or of none, asks later with its clientID", () => {
    const waiting = { clientID: "uid-2", name: "request-w", token: "west" };
    const others = ["east", undefined].map((token, index) => ({
      clientID: "uid-2",
      name: `request-${index}`,
      askedMs: startMs + (index + 1) * minuteMs,
      ...(token === undefined ? {} : { token }),
    }));
    expect(collect([waiting, ...others], 5 * minuteMs)).toEqual([]);
    const again = { ...waiting, name: "request-x", askedMs: startMs + minuteMs };
    expect(collect([waiting, ...others, again], 5 * minuteMs)).toEqual(["request-w"]);
  });

  it("keeps a request that waits for an approval as long as its agent waits for the answer", () => {
    const asked = [{ clientID: "uid-2", name: "request-w" }];
    expect(collect(asked, 40 * minuteMs)).toEqual([]);
    expect(collect(asked, 40 * minuteMs + 1)).toEqual(["request-w"]);
  });

  it("keeps a newer request of an agent that is in: it may come by a token that names it", () => {
    expect(collect([granted, { name: "request-b", askedMs: startMs + minuteMs }], 2 * minuteMs)).toEqual([]);
  });

  it("A7: takes what is no request of an agent after as long", () => {
    const odd = { name: "odd", clientID: "a b" };
    expect(collect([odd], 40 * minuteMs)).toEqual([]);
    expect(collect([odd], 40 * minuteMs + 1)).toEqual(["odd"]);
  });

  it("A7: keeps a hundred that are marked as Rancher's own, which are not decided", () => {
    const marked = Array.from({ length: 102 }, (_, index) => {
      const one = requestOf({ clientID: `made-up-${index}`, name: `request-${index}`, askedMs: startMs + index });
      one.metadata.labels = { "fleet.cattle.io/cluster-management": "true" };
      return one;
    });
    const refs = expiredRegistrations(marked, indexMembers([member]), hubFacts({ nowMs: startMs + minuteMs }));
    expect(refs.map(({ name }) => name)).toEqual(["request-0", "request-1"]);
  });

  it("A7: keeps a hundred that wait for longer than a minute, whose cluster parts from another protocol", () => {
    const waiting = Array.from({ length: 130 }, (_, index) => ({
      ...{ token: "edge", clientID: `made-up-${index}`, name: `request-${index}`, askedMs: startMs + index },
    }));
    expect(collect(waiting, minuteMs)).toEqual([]);
    expect(collect(waiting, 2 * minuteMs)).toHaveLength(30);
  });

  it("A7: keeps a hundred refused requests of a token, however many agents it claims to have", () => {
    const flood = Array.from({ length: 130 }, (_, index): KubeObject => {
      const asked = { token: "edge", clientID: `made-up-${index}`, name: `request-${index}`, askedMs: startMs + index };
      return { ...requestOf(asked), status: { granted: false } };
    });
    const others = [
      requestOf({ token: "edge", clientID: "undecided", name: "request-u", askedMs: startMs - 1 }),
      { ...requestOf({ token: "other", clientID: "uid-9", name: "request-o" }), status: { granted: false } },
    ];
    const refs = expiredRegistrations(
      [...flood, ...others],
      indexMembers([member]),
      hubFacts({ nowMs: startMs + minuteMs }),
    );
    expect(refs.map(({ name }) => name)).toEqual(Array.from({ length: 30 }, (_, index) => `request-${index}`));
  });
});
