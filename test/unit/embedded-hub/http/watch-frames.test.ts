import { describe, expect, it } from "vitest";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { JsonFrames } from "../../../../src/embedded-hub/http/watch-frames.ts";

const [definition] = builtInResources();

function served(index: number) {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `c-${index}` } };
  return { object, json: Buffer.from(JSON.stringify({ ...object, data: { text: "x".repeat(3_000) } })) };
}

describe("JsonFrames", () => {
  it("gives all watches of an object the same bytes", () => {
    if (definition === undefined) throw new Error("no kind is served");
    const frames = new JsonFrames();
    const object = served(0);
    const frame = frames.of(definition).event("MODIFIED", object);
    expect(frames.of(definition).event("MODIFIED", object)).toBe(frame);
    expect(String(frames.of(definition).event("ADDED", object))).toMatch(/^\{"type":"ADDED","object":\{.*\}\}\n$/u);
  });

  it("keeps no copy of 30,000 objects that a watch began with", () => {
    if (definition === undefined) throw new Error("no kind is served");
    const frames = new JsonFrames();
    const objects = Array.from({ length: 30_000 }, (_, index) => served(index));
    const first = objects.map((object) => frames.of(definition).event("ADDED", object));
    const isKept = (object: (typeof objects)[number], index: number) =>
      frames.of(definition).event("ADDED", object) === first[index];
    const kept = objects.slice(20_000).filter((object, index) => isKept(object, 20_000 + index));
    // 16 MiB of frames of 3 kB.
    expect(kept.length).toBeLessThan(6_000);
  });
});
