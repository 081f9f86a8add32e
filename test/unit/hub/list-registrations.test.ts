import { describe, expect, it } from "vitest";
import { compareAge } from "../../../src/hub/list-registrations.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

describe("compareAge", () => {
  const made = (name: string, creationTimestamp?: string): KubeObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(creationTimestamp === undefined ? {} : { creationTimestamp }) },
  });

  it("puts the oldest first, and those of one second in the order of their names", () => {
    const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"];
    const objects = [made("c", late), made("b", early), made("a", late), made("d", early), made("e")];
    for (const given of [objects, objects.toReversed()])
      expect(given.toSorted(compareAge).map(({ metadata }) => metadata.name)).toEqual(["e", "b", "d", "a", "c"]);
  });
});
