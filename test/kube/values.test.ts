import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { answersToValues } from "../support/scalars/custom-values.ts";
import { textClient } from "../support/scalars/text-client.ts";
import { clientsOfTwoHubs } from "../support/two-hubs.ts";

const golden = new URL("../contract/embedded-hub/golden/values.json", import.meta.url);

/** ROLLCALL_RECORD=1 writes what kube-apiserver answers to the file that the contract test reads. */
describe("numbers and YAML of custom objects", () => {
  const clients = clientsOfTwoHubs(textClient);

  it("are read by a real kube-apiserver as they were recorded", async () => {
    const [, real] = clients;
    const answers = await answersToValues((request) => (real ?? expect.unreachable()).send(request));
    if (process.env["ROLLCALL_RECORD"] === "1") {
      writeFileSync(
        golden,
        `{\n${Object.entries(answers)
          .map(([name, answer]) => `  ${JSON.stringify(name)}: ${JSON.stringify(answer)}`)
          .join(",\n")}\n}\n`,
      );
    }
    expect(answers).toEqual(JSON.parse(readFileSync(golden, "utf8")));
  });
});
