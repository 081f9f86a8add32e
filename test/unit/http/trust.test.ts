import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trustBesides, trustOfEnvironment } from "../../../src/http/trust.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-trust-"));
  await writeFile(join(folder, "extra.pem"), "EXTRA\n\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the certificates that are trusted", () => {
  it("are the given ones, the usual ones and those of NODE_EXTRA_CA_CERTS", () => {
    const environment = { NODE_EXTRA_CA_CERTS: join(folder, "extra.pem") };
    const usual = rootCertificates.join("\n");
    expect(trustBesides("OURS\n", environment)).toBe(`OURS\n${usual}\nEXTRA\n`);
    expect(trustOfEnvironment(environment)).toBe(`\n${usual}\nEXTRA\n`);
    expect(trustBesides("OURS", {})).toBe(`OURS\n${usual}\n\n`);
  });

  it.each([undefined, "", "/none/extra.pem"])("are those of Node.js alone where NODE_EXTRA_CA_CERTS is %j", (path) => {
    expect(trustOfEnvironment({ NODE_EXTRA_CA_CERTS: path })).toBeUndefined();
  });
});
