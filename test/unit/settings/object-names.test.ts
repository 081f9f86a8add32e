import { describe, expect, it } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";

const messageOf = (command: CommandName, given: Readonly<Record<string, string>>): string => {
  try {
    readSettings(command, { given, environment: {} });
    return "";
  } catch (error) {
    return isAppError(error, "E_USAGE") ? error.message : "";
  }
};

describe("an option that takes the name of an object", () => {
  it.each<[CommandName, string, string, string]>([
    [
      "plan",
      "repository",
      "./fleet",
      'a Repository object on the hub, and "./fleet" is a path; a folder or an address is for --repo',
    ],
    ["plan", "repository", "https://git.example.com/fleet", "is an address; a folder or an address is for --repo"],
    ["plan", "repository", "git@git.example.com:a/fleet", "is an address; a folder"],
    [
      "plan",
      "repository",
      "rollcall-system/fleet",
      "is namespace/name; write --namespace rollcall-system --repository fleet; a folder",
    ],
    ["reconcile", "repository", "/srv/fleet.git", "is a path; the default name is `fleet`"],
    ["status", "namespace", "../fleet", '--namespace is the name of a namespace, and "../fleet" is a path'],
    ["get", "workspace", "fleet/prod-eu-1", "is namespace/name"],
    ["add cluster", "workspace", "~/fleet", "is a path"],
    ["join", "agent-namespace", "a/b", "is namespace/name"],
    ["join", "cluster-name", "fleet/edge-1", "--cluster-name is the name of a cluster"],
    ["run", "age-key-secret", "system/keys", "is namespace/name; write keys"],
    ["run", "forge-secret", "./token", "a Secret in the daemon's namespace"],
  ])("rollcall %s --%s %s: reports what it is, and what to type", (command, name, value, expected) => {
    const message = messageOf(command, { [name]: value });
    expect(message).toContain(expected);
  });

  it("takes every name that an object can have, and a context with slashes", () => {
    for (const name of ["fleet", "a.b-c", "x1"]) expect(messageOf("plan", { repository: name })).toBe("");
    expect(messageOf("plan", { context: "arn:aws:eks:eu-1:1:cluster/a", branch: "team/a", repo: "./fleet" })).toBe("");
  });
});
