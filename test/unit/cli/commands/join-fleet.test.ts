import { describe, expect, it } from "vitest";
import { runJoin } from "../../../../src/cli/commands/join.ts";
import { parseJson } from "../../../../src/core/parse-json.ts";
import { textAt, textMapAt } from "../../../../src/core/read-json.ts";
import { parseAllDocuments } from "yaml";
import { runCommand } from "../../../support/plain-context.ts";

const values = {
  apiServerURL: "https://hub.example.com",
  clusterNamespace: "fleet",
  token: "a-token",
  labels: { site: "oslo", tier: "edge" },
};

/** Reads values as a token's Secret has them. */
const run = (given: object, options: Readonly<Record<string, string | boolean>> = {}) =>
  runCommand("join", runJoin, {
    options: { protocol: "fleet", values: "-", "dry-run": true, ...options },
    stdin: JSON.stringify(given),
  });

describe("rollcall join --protocol fleet with values", () => {
  it("makes an agent with the labels of the values, and those of the command before them", async () => {
    const { text } = await run(values, { label: "site=bergen" });
    const objects = parseAllDocuments(text).map((document) => document.toJS() as object);
    const config = objects.map((object) => textAt(object, "data", "config")).find((found) => found !== undefined);
    expect(textMapAt(parseJson(config ?? ""), "labels")).toEqual({ site: "bergen", tier: "edge" });
  });

  it.each(["apiServerURL", "clusterNamespace", "token"])("names %s where it is missing", async (key) => {
    const message = `the values cannot be used: ${key} is missing`;
    await expect(run({ ...values, [key]: "" })).rejects.toMatchObject({ code: "E_AGENT_VALUES", message });
  });
});
