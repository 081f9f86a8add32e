import { describe, expect, it } from "vitest";
import { parseYaml } from "../../../src/manifests/parse-yaml.ts";
import { scanSimpleYaml } from "../../../src/manifests/scan-simple-yaml.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { randomSimpleYaml, withRandomChanges } from "./random-yaml.ts";

function parsed(text: string): unknown {
  const { composed: _composed, ...stream } = parseYaml(text);
  return stream;
}

describe("scanSimpleYaml", () => {
  it("reads generated files of simple YAML, and as the parser does", () => {
    const random = seededRandom(24);
    for (let round = 0; round < 1500; round++) {
      const text = randomSimpleYaml(random);
      expect({ text, documents: scanSimpleYaml(text), streamError: undefined }).toEqual({
        text,
        ...(parsed(text) as object),
      });
    }
  });

  it("reads generated files with changes as the parser does, or not at all", () => {
    const random = seededRandom(25);
    let read = 0;
    for (let round = 0; round < 3000; round++) {
      const text = withRandomChanges(randomSimpleYaml(random), random);
      const documents = scanSimpleYaml(text);
      if (documents === undefined) continue;
      read += 1;
      expect({ text, documents, streamError: undefined }).toEqual({ text, ...(parsed(text) as object) });
    }
    expect(read).toBeGreaterThan(500);
  });
});
