import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { shortYamlLength, YamlReader } from "../../src/embedded-hub/http/yaml-reader.ts";
import { realClock } from "../support/real-time.ts";

const dist = join(import.meta.dirname, "../../dist");

it("A51 the built hub has its thread for long YAML bodies beside it", async () => {
  const names = (await readdir(dist)).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(names.map((name) => readFile(join(dist, name), "utf8")));
  expect(texts.some((text) => text.includes('new URL("yaml-thread.js", import.meta.url)'))).toBe(true);
  const reader = new YamlReader({ entry: pathToFileURL(join(dist, "yaml-thread.js")), clock: realClock });
  try {
    const text = `a: 1\n# ${"x".repeat(shortYamlLength)}\n`;
    const outcome = await reader.read(text, { username: "a", groups: [] }, () => undefined);
    expect(outcome).toEqual({ kind: "value", value: { a: 1 }, duplicates: [] });
  } finally {
    await reader.close();
  }
});
