import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const tests = resolve(import.meta.dirname, "..");

/** What `runGit` and the server of repositories start, and what reads this repository itself, as its user may. */
const allowed = [
  "planted/run-tests.ts",
  "release/release.test.ts",
  "rules/run-by-path.test.ts",
  "support/git-http-server.ts",
  "support/git-repositories.ts",
  "upgrade/upgrade.test.ts",
];

// What a user has configured (a line ending, a signature, a hook) would decide whether a test passes.
it("starts git with a configuration of its own for each repository that a test makes", () => {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const pattern = /\("git",\s*(?:\[|list\b)|\bcommand: "git"/u;
  const starting = files.filter((file) => pattern.test(readFileSync(join(tests, file), "utf8")));
  expect(starting.sort()).toEqual(allowed);
});
