import { expect, it } from "vitest";
import { namedWorkspaces } from "../../../src/settings/named-workspaces.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ["nothing", {}, []],
  ["the default one", { "default-workspace": "fleet" }, ["fleet"]],
  ["those without a wildcard", { workspaces: "eu-*,edge,us?" }, ["edge"]],
  ["each once", { workspaces: "fleet,edge", "default-workspace": "fleet" }, ["fleet", "edge"]],
])("names %s", (_what, given, expected) => {
  expect(namedWorkspaces(readSettings("run", { given, environment: {} }))).toEqual(expected);
});
