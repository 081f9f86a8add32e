import { describe, expect, it } from "vitest";
import { collectableRegistrations } from "../../../../src/join/fleet/hub/collectable.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { hubFacts, startMs } from "../hub-scene.ts";
import { fleetMemberOf, grantedMemory, requestOf } from "./fleet-scene.ts";
import type { Asked } from "./fleet-scene.ts";

const minuteMs = 60_000;
const member = fleetMemberOf("eu-1", { state: grantedMemory() });

function collect(asked: readonly Asked[], laterMs = 0): string[] {
  const registrations: KubeObject[] = asked.map(requestOf);
  const refs = collectableRegistrations(registrations, [member], hubFacts({ nowMs: startMs + laterMs }));
  return refs.map(({ name }) => name);
}

describe("collectable: Fleet's registrations", () => {
  const granted: Asked = { name: "request-a", isGranted: true };

  it("keeps the one by which an agent is in, however old it is", () => {
    expect(collect([granted], 400 * 24 * 60 * minuteMs)).toEqual([]);
  });

  it("takes the former ones of an agent that came in again", () => {
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

  it("keeps a request that waits for an approval as long as its agent waits for the answer", () => {
    const asked = [{ clientID: "uid-2", name: "request-w" }];
    expect(collect(asked, 40 * minuteMs)).toEqual([]);
    expect(collect(asked, 40 * minuteMs + 1)).toEqual(["request-w"]);
  });

  it("keeps a newer request of an agent that is in: it may come by a token that names it", () => {
    expect(collect([granted, { name: "request-b", askedMs: startMs + minuteMs }], 2 * minuteMs)).toEqual([]);
  });

  it("leaves what is no request of an agent alone", () => {
    expect(collect([{ name: "odd", clientID: "a b" }], 60 * minuteMs)).toEqual([]);
  });
});
