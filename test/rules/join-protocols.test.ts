import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { foreignProtocols } from "../../src/daemon/foreign-protocols.ts";
import { rollcallProtocol } from "../../src/join/rollcall/hub/rollcall-protocol.ts";

const root = "src/join";
const protocols = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** One file for each interface of the port, and what each of them is made of. */
const sharedFiles = [
  "hub/registration.ts",
  "hub/credentials.ts",
  "hub/lifecycle.ts",
  "hub/status-mirror.ts",
  "hub/desired-objects.ts",
  "hub/facts.ts",
  "hub/offboarding-steps.ts",
  "hub/member-facts.ts",
  "manifests/agent-manifest.ts",
];

describe("join protocols", () => {
  it.each(protocols)("%s has the files of every protocol in the same places", (name) => {
    const own = name === "rollcall" ? [] : ["hub/external-protocol.ts"];
    const wanted = [`hub/${name}-protocol.ts`, ...sharedFiles, ...own];
    expect(wanted.filter((file) => !existsSync(join(root, name, file)))).toEqual([]);
    expect(readdirSync(join(root, name)).filter((entry) => !["hub", "manifests"].includes(entry))).toEqual(
      // The agent of the own protocol is part of this program.
      name === "rollcall"
        ? [
            ...["agent-values.ts", "answers.ts", "downstream", "hpke.ts", "messages.ts", "readmission.ts"],
            ...["signed-hub-info.ts", "trust-chain.ts"],
          ]
        : [],
    );
  });

  it.each(protocols)("%s only puts its four parts together in its main file", (name) => {
    const text = readFileSync(join(root, name, `hub/${name}-protocol.ts`), "utf8");
    for (const part of ["registration", "credentials", "lifecycle", "status-mirror"])
      expect(text).toContain(`from "./${part}.ts"`);
    expect(text.split("\n").length).toBeLessThan(40);
  });

  it("have no optional methods: what a protocol does not do is a value of join/neutral.ts", () => {
    const port = readFileSync(join(root, "join.ts"), "utf8");
    expect(port.match(/^ {2}\w+\?\(.*$/gmu) ?? []).toEqual([]);
    const foreign = [...foreignProtocols.values()].flatMap(({ protocol, external, bootstrapTokens }) => [
      protocol,
      external ?? protocol,
      bootstrapTokens ?? protocol,
    ]);
    const members = Object.keys(rollcallProtocol).sort();
    for (const protocol of foreign) expect(Object.keys(protocol).sort()).toEqual(members);
  });
});
