import { userInfo } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { addressKind, isLocalPath, readPath, readRepository } from "../../../src/settings/read-path.ts";

const environment = { HOME: "/home/ada" };

describe("readPath", () => {
  it.each([
    ["~", "/home/ada"],
    ["~/", "/home/ada"],
    ["~/fleet//", "/home/ada/fleet"],
    ["~ada/fleet", "~ada/fleet"],
    ["a/~/", "a/~"],
    ["fleet/", "fleet"],
    ["/", "/"],
    ["///", "/"],
    ["/var/fleet", "/var/fleet"],
    ["file:///var/fleet/", "/var/fleet"],
    ["FILE:///var/a%20b", "/var/a b"],
    ["my-file:///a", "my-file:///a"],
  ])("reads %s as %s", (text, path) => {
    expect(readPath(text, environment)).toBe(path);
  });

  it.each([{}, { HOME: "" }])("takes the home folder of the system where HOME is none: %j", (without) => {
    expect(readPath("~/fleet", without)).toBe(`${userInfo().homedir}/fleet`);
  });

  it.each(["file://host/fleet", "file://["])("refuses %s, which is of another machine or none", (text) => {
    expect(() => readPath(text, environment)).toThrow(
      `${text} is no path of this machine: write file:///folder, or the path alone`,
    );
  });
});

describe("readRepository", () => {
  it.each([
    ["fleet/", resolve("fleet")],
    ["~/fleet", "/home/ada/fleet"],
    ["file:///var/fleet", "/var/fleet"],
    ["https://git.example/fleet.git", "https://git.example/fleet.git"],
    ["ssh://git@git.example/fleet.git/", "ssh://git@git.example/fleet.git/"],
    ["git@git.example:fleet.git", "git@git.example:fleet.git"],
    ["", ""],
  ])("reads %s as %s", (text, repository) => {
    expect(readRepository(text, environment)).toBe(repository);
  });
});

describe("the kind of an address", () => {
  it.each([
    ["fleet", "folder"],
    ["a/git@host:b", "folder"],
    ["/var/https://fleet", "folder"],
    ["file:///fleet", "folder"],
    ["FILE:///fleet", "folder"],
    ["git@host:fleet.git", "ssh"],
    ["ssh://git@host/fleet.git", "ssh"],
    ["git+https://host/fleet.git", "ssh"],
    ["https://host/fleet.git", "https"],
    ["HTTPS://host/fleet.git", "https"],
    ["http://host/fleet.git", "http"],
    ["HTTP://host/fleet.git", "http"],
  ])("of %s is %s", (url, kind) => {
    expect([addressKind(url), isLocalPath(url)]).toEqual([kind, kind === "folder"]);
  });
});
