import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ForgeProvider } from "../../../src/forge/forge.ts";
import { openRepositoryHost } from "../../../src/forge/repository-host.ts";
import type { RepositoryHost } from "../../../src/forge/repository-host.ts";
import { answerJson, startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { forgeToken } from "../../support/forge/forge-state.ts";
import { forgeServerKey, forgeSshUrl } from "../../support/forge/setup-routes.ts";
import { createManualClock } from "../../support/manual-clock.ts";

describe.each<ForgeProvider>(["GitHub", "GitLab", "Gitea", "Forgejo"])("a repository host at %s", (provider) => {
  let server: ForgeServer;
  let host: RepositoryHost;

  beforeEach(async () => {
    server = await startForgeServer(provider);
    server.state.isThere = false;
    const { repositoryUrl } = server;
    host = openRepositoryHost({ provider, repositoryUrl, token: forgeToken, clock: createManualClock() });
  });
  afterEach(async () => {
    await host.close();
    await server.stop();
  });

  it("makes the repository once, private and without a commit", async () => {
    expect(await host.readRepository()).toBeUndefined();
    expect(await host.ensureRepository()).toMatchObject({ outcome: "created", repository: { sshUrl: forgeSshUrl } });
    expect(await host.ensureRepository()).toMatchObject({ outcome: "unchanged" });
    const sent = server.calls.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body) as object);
    const privacy =
      provider === "GitLab"
        ? { visibility: "private", initialize_with_readme: false }
        : { private: true, auto_init: false };
    expect(sent).toEqual([expect.objectContaining(privacy)]);
  });

  it("takes the repository that another run makes at the same time", async () => {
    server.refuseWrites = (response) => {
      server.state.isThere = true;
      answerJson(response, { status: 422, json: { message: "the name is taken" } });
      return true;
    };
    expect(await host.ensureRepository()).toMatchObject({ outcome: "unchanged" });
  });

  it("fails when the repository is refused, and is not there afterwards either", async () => {
    server.refuseWrites = (response) => {
      answerJson(response, { status: 422, json: { message: "the name is taken" } });
      return true;
    };
    await expect(host.ensureRepository()).rejects.toMatchObject({ code: "E_FORGE_REFUSED" });
  });

  it("knows the keys of the ssh server where the forge reports them", async () => {
    expect(await host.readServerKeys()).toEqual(provider === "GitHub" ? [forgeServerKey] : []);
  });

  it("finds a deploy key by its public part, and knows whether it may push", async () => {
    server.state.isThere = true;
    const publicKey = "ssh-ed25519 AAAA";
    await host.addDeployKey({ title: "other", publicKey: "ssh-ed25519 BBBB" });
    expect(await host.findDeployKey(publicKey)).toBeUndefined();
    await host.addDeployKey({ title: "rollcall", publicKey });
    expect(await host.findDeployKey(publicKey)).toEqual({ title: "rollcall", publicKey, isWriter: true });
    await expect(host.addDeployKey({ title: "rollcall", publicKey })).rejects.toMatchObject({
      code: "E_FORGE_REFUSED",
    });
  });

  it.skipIf(provider === "GitLab")(
    "sets up a repository by the name that it had before (GitLab gives ids)",
    async () => {
      server.state.isThere = true;
      server.state.formerName = "acme/former";
      const repositoryUrl = server.repositoryUrl.replace("/fleet", "/former");
      const former = openRepositoryHost({ provider, repositoryUrl, token: forgeToken, clock: createManualClock() });
      expect(await former.ensureRepository()).toMatchObject({ outcome: "unchanged" });
      await former.addDeployKey({ title: "rollcall", publicKey: "ssh-ed25519 AAAA" });
      await former.close();
      expect(server.state.deployKeys).toMatchObject([{ isWriter: true }]);
    },
  );

  it("knows the default branch, and whether the repository is archived", async () => {
    server.state.isThere = true;
    server.state.repositorySettings = { default_branch: "master", archived: true };
    const repository = { sshUrl: forgeSshUrl, defaultBranch: "master", isArchived: true };
    expect(await host.ensureRepository()).toEqual({ outcome: "unchanged", repository });
  });

  it("takes no other answer for a repository", async () => {
    server.intercept((response) => answerJson(response, { status: 200, json: { id: 1 } }));
    await expect(host.readRepository()).rejects.toMatchObject({ code: "E_FORGE_PROTOCOL" });
  });
});
