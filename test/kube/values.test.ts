import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedHub, realHub } from "../support/hub-under-test.ts";
import type { HubUnderTest } from "../support/hub-under-test.ts";
import { answersToValues } from "../support/scalars/custom-values.ts";
import { textClient } from "../support/scalars/text-client.ts";
import type { TextClient } from "../support/scalars/text-client.ts";

const golden = new URL("../contract/embedded-hub/golden/values.json", import.meta.url);

/** ROLLCALL_RECORD=1 writes what kube-apiserver answers to the file that the contract test reads. */
describe("numbers and YAML of custom objects", () => {
  let embedded: HubUnderTest | undefined;
  const clients: TextClient[] = [];
  beforeAll(async () => {
    embedded = await embeddedHub();
    clients.push(textClient(embedded.kubeconfig), textClient((await realHub()).kubeconfig));
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await embedded?.stop();
  });

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
