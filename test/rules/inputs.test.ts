import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const tests = resolve(import.meta.dirname, "..");
const givesInput = /\bstdin(?:\?|!)?\.end\(\s*[^)\s]/u;

// A program that ends before it has read its input ends the process of the tests, unless an error of its stdin is listened to.
it("gives input to a program by giveInput alone", () => {
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const giving = files.filter((file) => givesInput.test(readFileSync(join(tests, file), "utf8")));
  expect(giving).toEqual(["support/give-input.ts"]);
});
