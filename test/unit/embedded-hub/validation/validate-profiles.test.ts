import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { validateAppArmor, validateSeccomp } from "../../../../src/embedded-hub/validation/validate-profiles.ts";
import { textsOf } from "./validation-builders.ts";

const known = 'supported values: "Localhost", "RuntimeDefault", "Unconfined"';

describe("validateSeccomp", () => {
  it.each<{ profile: JsonObject; expected: readonly string[] }>([
    { profile: { type: "RuntimeDefault" }, expected: [] },
    { profile: { type: "Unconfined" }, expected: [] },
    { profile: { type: "Localhost", localhostProfile: "a/b" }, expected: [] },
    { profile: {}, expected: [".type: Required value: type is required when seccompProfile is set"] },
    { profile: { type: "Odd" }, expected: [`.type: Unsupported value: "Odd": ${known}`] },
    {
      profile: { type: "Localhost" },
      expected: [".localhostProfile: Required value: must be set when seccomp type is Localhost"],
    },
    {
      profile: { type: "Localhost", localhostProfile: "/a/.." },
      expected: [
        '.localhostProfile: Invalid value: "/a/..": must be a relative path',
        `.localhostProfile: Invalid value: "/a/..": must not contain '..'`,
      ],
    },
    {
      profile: { type: "", localhostProfile: "a" },
      expected: [
        ".type: Required value: type is required when seccompProfile is set",
        '.localhostProfile: Invalid value: {"Type":"","LocalhostProfile":"a"}: can only be set when seccomp type is Localhost',
      ],
    },
  ])("finds $expected with $profile", ({ profile, expected }) => {
    const errors = validateSeccomp({ seccompProfile: profile }, "c");
    expect(textsOf(errors)).toEqual(expected.map((text) => `c.seccompProfile${text}`));
  });
});

describe("validateAppArmor", () => {
  it.each<{ profile: JsonObject; expected: readonly string[] }>([
    { profile: { type: "RuntimeDefault" }, expected: [] },
    { profile: { type: "Unconfined" }, expected: [] },
    { profile: { type: "Localhost", localhostProfile: "a".repeat(4095) }, expected: [] },
    { profile: {}, expected: [".type: Required value: type is required when appArmorProfile is set"] },
    { profile: { type: "Odd" }, expected: [`.type: Unsupported value: "Odd": ${known}`] },
    {
      profile: { type: "Localhost" },
      expected: [".localhostProfile: Required value: must be set when AppArmor type is Localhost"],
    },
    {
      profile: { type: "Localhost", localhostProfile: "" },
      expected: [".localhostProfile: Required value: must be set when AppArmor type is Localhost"],
    },
    {
      profile: { type: "Localhost", localhostProfile: " a" },
      expected: ['.localhostProfile: Invalid value: " a": must not be padded with whitespace'],
    },
    {
      profile: { type: "Localhost", localhostProfile: "ä".repeat(2048) },
      expected: [".localhostProfile: Too long: may not be more than 4095 bytes"],
    },
    {
      profile: { type: "Unconfined", localhostProfile: "a" },
      expected: ['.localhostProfile: Invalid value: "a": can only be set when AppArmor type is Localhost'],
    },
    {
      profile: { type: "Odd", localhostProfile: "a" },
      expected: [`.type: Unsupported value: "Odd": ${known}`],
    },
  ])("finds $expected with $profile", ({ profile, expected }) => {
    const errors = validateAppArmor({ appArmorProfile: profile }, "c");
    expect(textsOf(errors)).toEqual(expected.map((text) => `c.appArmorProfile${text}`));
  });

  it("finds nothing where there is no profile", () => {
    expect([...validateAppArmor({}, "c"), ...validateSeccomp({}, "c")]).toEqual([]);
  });
});
