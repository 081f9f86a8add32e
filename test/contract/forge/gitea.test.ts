import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, textAt } from "../../../src/core/read-json.ts";
import type { Forge } from "../../../src/forge/forge.ts";
import { statusContext } from "../../../src/forge/forge.ts";
import { openForge } from "../../../src/forge/open-forge.ts";
import { isHintFor, readWebhook } from "../../../src/forge/read-webhook.ts";
import { findGitea, startGitea } from "../../support/forge/gitea-program.ts";
import type { GiteaProgram } from "../../support/forge/gitea-program.ts";
import { realClock } from "../../support/real-time.ts";

const program = findGitea();

describe.skipIf(program === undefined)("a real Gitea or Forgejo (needs gitea or forgejo on PATH)", () => {
  let gitea: GiteaProgram;
  let admin: string;
  let forge: Forge;
  let repositoryUrl: string;
  let base: string;

  /** The scopes that docs/forges.md names, and no more. */
  const scopes = "write:repository,write:issue,read:user";

  beforeAll(async () => {
    gitea = await startGitea(program ?? "");
    await gitea.addUser("acme", true);
    await gitea.addUser("rollcall");
    admin = await gitea.makeToken("acme", "all");
    await gitea.call(admin, "POST", "/user/repos", { name: "fleet", auto_init: true, default_branch: "main" });
    await gitea.call(admin, "PUT", "/repos/acme/fleet/collaborators/rollcall", { permission: "write" });
    repositoryUrl = `${gitea.url}/acme/fleet.git`;
    base = textAt(await gitea.call(admin, "GET", "/repos/acme/fleet/branches/main"), "commit", "id") ?? "";
    const token = await gitea.makeToken("rollcall", scopes);
    forge = openForge({ provider: "Gitea", repositoryUrl, token, clock: realClock });
  });
  afterAll(async () => {
    await forge?.close();
    await gitea?.stop();
  });

  async function pushFile(branch: string, path: string): Promise<string> {
    const content = Buffer.from(`file ${path}`).toString("base64");
    const body = { content, message: `add ${path}`, branch: "main", new_branch: branch };
    return textAt(await gitea.call(admin, "POST", `/repos/acme/fleet/contents/${path}`, body), "commit", "sha") ?? "";
  }

  it("sets a status, changes it, and writes nothing when it is there", async () => {
    const context = statusContext("rollcall-system.fleet");
    const pending = {
      state: "pending",
      context,
      description: "checking",
      targetUrl: "https://status.example.com/",
    } as const;
    expect(await forge.setCommitStatus(base, pending)).toBe("created");
    expect(await forge.setCommitStatus(base, pending)).toBe("unchanged");
    const failed = { state: "failure", context, description: `2 problems ${"x".repeat(400)}` } as const;
    expect(await forge.setCommitStatus(base, failed)).toBe("updated");
    expect(await forge.setCommitStatus(base, failed)).toBe("unchanged");
    await expect(forge.setCommitStatus("c".repeat(40), pending)).rejects.toMatchObject({ code: "E_FORGE_NOT_FOUND" });
  });

  it("opens a pull request once, lists it, and keeps one comment on it", async () => {
    const head = await pushFile("rollcall/join-eu-9", "clusters/eu-9.yaml");
    const draft = { headBranch: "rollcall/join-eu-9", baseBranch: "main", title: "Let eu-9 join", body: "It asked." };
    const opened = await forge.openPullRequest(draft);
    expect(await forge.openPullRequest(draft)).toEqual(opened);
    expect(opened).toMatchObject({
      headCommit: head,
      headBranch: draft.headBranch,
      baseBranch: "main",
      isFork: false,
      isDraft: false,
    });
    expect(await forge.listPullRequests({ baseBranch: "main" })).toEqual([opened]);
    expect(await forge.listPullRequests({ baseBranch: "none" })).toEqual([]);

    const comment = {
      pullRequest: opened.number,
      repository: "rollcall-system.fleet",
      base,
      head,
      markdown: "## Plan\n\n1 cluster joins.",
    };
    expect(await forge.writePlanComment(comment)).toBe("created");
    expect(await forge.writePlanComment(comment)).toBe("unchanged");
    expect(await forge.writePlanComment({ ...comment, markdown: "## Plan\n\nnothing" })).toBe("updated");
    expect(await forge.voidPlanComment({ ...comment, base: head })).toBe("updated");
    expect(await forge.voidPlanComment({ ...comment, base: head })).toBe("unchanged");
    expect(await forge.writePlanComment(comment)).toBe("updated");
    const comments = await gitea.call(admin, "GET", `/repos/acme/fleet/issues/${opened.number}/comments`);
    expect(comments).toHaveLength(1);
  });

  it("finds its status among more than a page of others", async () => {
    for (let index = 0; index < 55; index++) {
      await gitea.call(admin, "POST", `/repos/acme/fleet/statuses/${base}`, {
        state: "success",
        context: `ci/${index}`,
        description: "ok",
      });
    }
    const status = { state: "success", context: "rollcall/ns.paged", description: "applied" } as const;
    await forge.setCommitStatus(base, status);
    expect(await forge.setCommitStatus(base, status)).toBe("unchanged");
  });

  it("reports which right is missing", async () => {
    const token = await gitea.makeToken("rollcall", "read:repository");
    const reader = openForge({ provider: "Gitea", repositoryUrl, token, clock: realClock });
    const status = { state: "success", context: "x/y", description: "" } as const;
    const failing = reader.setCommitStatus(base, status);
    await expect(failing).rejects.toMatchObject({ code: "E_FORGE_FORBIDDEN" });
    await expect(failing).rejects.toThrow("write:repository");
    await reader.close();
    const stranger = openForge({ provider: "Gitea", repositoryUrl, token: "0".repeat(40), clock: realClock });
    await expect(stranger.listPullRequests()).rejects.toMatchObject({ code: "E_FORGE_AUTH" });
    await stranger.close();
  });

  it("sends webhooks that are read, and whose signature is checked", async () => {
    const received: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
    let enqueue: () => void = () => undefined;
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.end();
        received.push({ headers: request.headers, body: Buffer.concat(chunks) });
        enqueue();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const hook = await gitea.call(admin, "POST", "/repos/acme/fleet/hooks", {
      type: "gitea",
      active: true,
      events: ["push", "pull_request"],
      config: { url, content_type: "json", secret: "webhook-s3cret" },
    });
    const arrival = async (kind: string) => {
      for (;;) {
        for (const { headers, body } of received) {
          const result = readWebhook({ headers, body, secrets: ["webhook-s3cret"] });
          if (result.kind === "hint" && result.hint.kind === kind) return { result, headers, body };
        }
        await new Promise<void>((resolve) => (enqueue = resolve));
      }
    };
    await pushFile("hooked", "clusters/hooked.yaml");
    const push = await arrival("push");
    expect(push.result).toMatchObject({ hint: { repository: "acme/fleet", ref: "refs/heads/hooked" } });
    expect(isHintFor(push.result.hint, repositoryUrl)).toBe(true);
    const forged = readWebhook({ ...push, secrets: ["another"] });
    expect(forged).toEqual({ kind: "refused", reason: "bad-signature" });
    await forge.openPullRequest({ headBranch: "hooked", baseBranch: "main", title: "hooked", body: "" });
    expect((await arrival("pull-request")).result).toMatchObject({
      hint: { repository: "acme/fleet", ref: "refs/heads/main" },
    });
    await gitea.call(admin, "DELETE", `/repos/acme/fleet/hooks/${numberAt(hook, "id") ?? 0}`);
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });
});
