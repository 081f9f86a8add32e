import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../../..");

describe("generated types", () => {
  const folder = join(root, "src/model/generated");

  it.each(readdirSync(folder))(
    "%s has no any, no open object and no type that was numbered for lack of a name",
    (name) => {
      const text = readFileSync(join(folder, name), "utf8");
      if (name === "crds.ts" || name === "schemas.ts") return;
      expect(text).not.toMatch(/\bany;|\bany\[\]|: unknown/u);
      expect(text).not.toMatch(/^export type \w+\d+ =/mu);
    },
  );
});
