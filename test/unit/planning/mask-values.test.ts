import { describe, expect, it } from "vitest";
import { maskField } from "../../../src/planning/mask-values.ts";

const path = "spec.agent.env";
const variable = (value: string, name = "API_TOKEN") => ({ name, value });

describe("maskField", () => {
  it.each([
    { from: undefined, to: "https://a:b@example.com/x", shown: { path, to: "https://***@example.com/x" } },
    { from: undefined, to: "https://a:b@c@example.com", shown: { path, to: "https://***@example.com" } },
    { from: [variable("a")], to: undefined, shown: { path, from: [variable("***")] } },
    { from: 1, to: [null, { name: 1, value: 2 }], shown: { path, from: 1, to: [null, { name: 1, value: 2 }] } },
    { from: [variable("a")], to: [variable("a")], shown: { path, from: [variable("***")], to: [variable("***")] } },
  ])("masks what is secret in $to", ({ from, to, shown }) => {
    expect(maskField({ path, from, to })).toEqual(shown);
  });

  it.each(["API_TOKEN", "DB_PASS", "MYSQL_PWD", "signing-key", "PROXY_AUTH", "GPG_PASSPHRASE", "PGPASSWORD"])(
    "masks the value of a variable %s",
    (name) =>
      expect(maskField({ path, from: undefined, to: [variable("a", name)] }).to).toEqual([variable("***", name)]),
  );

  it.each(["LEVEL", "KEYBOARD", "BYPASS", "AUTHOR", "COMPASS_URL"])("shows the value of a variable %s", (name) => {
    expect(maskField({ path, from: undefined, to: [variable("a", name)] }).to).toEqual([variable("a", name)]);
  });

  it.each([
    "https://evil.example?x@hub.example.com/",
    "https://evil.example#@hub.example.com",
    "https://evil.example\\@a",
  ])("A192 shows the host of %s, which is no password", (to) => {
    expect(maskField({ path, from: "https://hub.example.com/", to }).to).toBe(to);
  });

  it.each([
    { reason: "a variable", from: [variable("a")], to: [variable("b")] },
    { reason: "a password", from: "https://a@example.com", to: "https://b@example.com" },
  ])("A192 has no values where only $reason changes that is masked", ({ from, to }) => {
    expect(maskField({ path, from, to })).toEqual({ path, isHidden: true });
  });

  it("A192 marks a change of which a part is masked", () => {
    const field = maskField({ path, from: [variable("a")], to: [variable("b"), variable("c", "LEVEL")] });
    expect(field).toEqual({
      path,
      from: [variable("***")],
      to: [variable("***"), variable("c", "LEVEL")],
      isHidden: true,
    });
  });
});
