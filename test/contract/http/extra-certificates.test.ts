import "reflect-metadata";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildScript } from "../../support/build-script.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";

const run = promisify(execFile);

describe("the certificates of NODE_EXTRA_CA_CERTS", () => {
  const closes: (() => Promise<unknown>)[] = [];
  let script: string;
  let folder: string;
  let authority: string;
  let otherAuthority: string;
  let gitUrl: string;
  let serverUrl: string;

  beforeAll(async () => {
    const temp = await makeTempFolder();
    folder = temp.path;
    closes.push(temp.remove);
    const [ca, otherCa] = await Promise.all([makeCertificateAuthority("company"), makeCertificateAuthority("other")]);
    [authority, otherAuthority] = [ca.cert, otherCa.cert];
    await writeFile(join(folder, "extra.pem"), authority);
    const tls = await ca.issue("CN=server", [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
    ]);
    await createRepository(join(folder, "fleet/config.git"));
    const git = await startGitHttpServer({ root: folder, tls });
    closes.push(() => git.close());
    gitUrl = git.urlOf("fleet/config.git");
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", resourceVersion: "1" } };
    const server = createServer(tls, ({ url = "" }, response) => {
      const answer = url.startsWith("/api/v1/namespaces/") ? namespace : [];
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closes.push(() => new Promise((resolve) => server.close(resolve)));
    serverUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    script = await buildScript("test/support/reach-servers.ts", join(folder, "built"));
  });
  afterAll(async () => {
    for (const close of closes.toReversed()) await close();
  });

  /** What a process of its own reports of each server: Node.js reads the variable when it starts. */
  async function reach(extra: string | undefined, caBundle = ""): Promise<string[]> {
    const environment = { PATH: process.env["PATH"], ...(extra === undefined ? {} : { NODE_EXTRA_CA_CERTS: extra }) };
    const args = [script, gitUrl, serverUrl, join(folder, "copies"), caBundle];
    const { stdout } = await run(process.execPath, args, { env: environment });
    return stdout.trim().split("\n");
  }

  const all = ["git auto: answered", "git native: answered", "forge: answered", "kube: answered"];

  it("are trusted by git, forge and Kubernetes alike", async () => {
    expect(await reach(join(folder, "extra.pem"))).toEqual(all);
  });

  it("are trusted besides the caBundle of a Repository", async () => {
    expect(await reach(join(folder, "extra.pem"), otherAuthority)).toEqual(all);
  });

  it("are what makes the server trusted", async () => {
    for (const outcome of await reach(undefined)) expect(outcome).toMatch(/certificate/u);
    const [gitAuto, gitNative, forge, kube] = await reach(undefined, authority);
    expect([gitAuto, gitNative, forge]).toEqual(all.slice(0, 3));
    // A kubeconfig names the authority of its server itself.
    expect(kube).toMatch(/certificate/u);
  });

  it("do not matter when the file cannot be read", async () => {
    for (const outcome of await reach(join(folder, "none.pem"))) expect(outcome).toMatch(/certificate/u);
  });
});
