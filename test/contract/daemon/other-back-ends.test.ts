import "reflect-metadata";
import { join } from "node:path";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { openDaemonSession } from "./daemon-session.ts";

describe("--git-backend for the other Repositories", () => {
  it.each([
    { gitBackend: "auto", seen: "E_UNSUPPORTED" },
    { gitBackend: "native", seen: '"appliedCommit"' },
  ] as const)("$gitBackend: status has $seen for a repository with SHA-256 ids", async ({ gitBackend, seen }) => {
    const session = await openDaemonSession(await readyHub());
    const folder = await makeTempFolder();
    const ca = await makeCertificateAuthority("git-ca");
    const tls = await ca.issue("CN=git", [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
    ]);
    const server = await startGitHttpServer({ root: folder.path, tls });
    try {
      const source = await createRepository(join(folder.path, "other.git"), { objectFormat: "sha256" });
      await source.commit({ files: { "c.yaml": clusterFile("c") } });
      await session.repository.commit({ files: { "a.yaml": clusterFile("a") } });
      await session.startDaemon({ followsOthers: true, gitBackend });
      const { namespace, workspace } = session;
      await session.api.create(
        {
          apiVersion: "rollcall.dev/v1alpha1",
          kind: "Repository",
          metadata: { name: "other", namespace },
          spec: {
            url: server.urlOf("other.git"),
            caBundle: ca.cert,
            defaultWorkspace: workspace,
            workspaces: [workspace],
            writeBack: { mode: "None" },
          },
        },
        { fieldManager: "test" },
      );
      await until(
        () => session.get(resourceTypes.repository, "other", namespace),
        (found) => JSON.stringify(found?.["status"] ?? "").includes(seen),
      );
      expect((await session.get(resourceTypes.cluster, "c")) !== undefined).toBe(gitBackend === "native");
    } finally {
      await session.close();
      await server.close();
      await folder.remove();
    }
  });
});

function clusterFile(name: string): string {
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name }, spec: {} });
}
