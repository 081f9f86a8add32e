import { userInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { homeFolder } from "../../../src/system/home-folder.ts";

describe("homeFolder", () => {
  it("takes HOME", () => {
    expect(homeFolder({ HOME: "/home/ada" })).toBe("/home/ada");
  });

  it.each([{}, { HOME: "" }, { HOME: "." }, { HOME: "home" }])("takes that of the system for %j", (environment) => {
    expect(homeFolder(environment)).toBe(userInfo().homedir);
  });
});
