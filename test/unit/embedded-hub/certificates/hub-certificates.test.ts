import { X509Certificate } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { loadHubCertificates } from "../../../../src/embedded-hub/certificates/hub-certificates.ts";
import { makeTempFolder } from "../../../support/git-repositories.ts";
import { realRandom } from "../../../support/real-time.ts";

const dayMs = 86_400_000;
const nowMs = Date.parse("2026-01-01T00:00:00Z");

it("a hub that was started while the clock was ahead has valid certificates when the clock is right again", async () => {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  const load = (atMs: number) => loadHubCertificates({ dir: folder.path, hosts: [], nowMs: atMs, random: realRandom });
  const first = await load(nowMs);
  await load(nowMs + 400 * dayMs);
  const { authority, serving, admin } = await load(nowMs);
  expect(authority).toEqual(first.authority);
  for (const { certPem } of [serving, admin]) {
    expect(Date.parse(new X509Certificate(certPem).validFrom)).toBeLessThanOrEqual(nowMs);
  }
  expect(await load(nowMs)).toEqual({ authority, serving, admin });
});
