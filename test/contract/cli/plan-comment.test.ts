import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeError } from "../../../src/core/errors.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import { startPullRequestWorkflow } from "../../support/forge/pull-request-workflow.ts";
import { runPlanOf } from "../../support/run-plan.ts";
import type { CommandSession } from "./command-session.ts";
import { openCommandSession } from "./command-session.ts";

const fileOf = (name: string) => `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\n`;

describe("a workflow writes the plan to its pull request", () => {
  let commands: CommandSession;
  let base: string;
  let head: string;
  beforeAll(async () => {
    commands = await openCommandSession(fileOf("c1"));
    const { repository } = commands.session;
    base = (await repository.git("rev-parse", "main")).trim();
    head = await repository.commit({ branch: "next", from: base, files: { "c2.yaml": fileOf("c2") } });
  });
  afterAll(() => commands.close());

  async function setUp(
    commit = head,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ server: ForgeServer; plan: (base: string) => ReturnType<typeof runPlanOf> }> {
    const server = await startForgeServer("GitHub");
    onTestFinished(() => server.stop());
    const ofWorkflow = await startPullRequestWorkflow(server, { folder: commands.folder, head: commit });
    const environment = { ...ofWorkflow, ...more };
    const options = { offline: true, commit, comment: true };
    return {
      server,
      plan: (from) => runPlanOf(commands.session.repository.path, { options: { ...options, base: from }, environment }),
    };
  }

  const contextOf = () => `rollcall/${commands.session.namespace}.fleet`;

  it("A158 a pull request with more comments than are read has a status that names the reason", async () => {
    const { server, plan } = await setUp();
    const comment = { pull: 5, authorId: 55, authorType: "User", isSystem: false, body: "+1" } as const;
    for (let id = 1; id <= 2100; id++) server.state.comments.push({ ...comment, id });
    await expect(plan(base)).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    expect(server.state.statuses).toMatchObject([
      {
        commit: head,
        context: contextOf(),
        state: "error",
        description: expect.stringContaining("more than are read") as string,
      },
    ]);
  });

  it("A158 a pull request whose conversation is locked has a status that names the reason", async () => {
    const { server, plan } = await setUp();
    server.refuseWrites = (response) => {
      server.refuseWrites = undefined;
      response.writeHead(403, { "content-type": "application/json" });
      response.end('{"message":"Unable to create comment because issue is locked."}');
      return true;
    };
    const { errorText } = await plan(base);
    expect(errorText).toContain("the plan was not written to the pull request");
    expect(server.state.statuses).toMatchObject([
      {
        commit: head,
        context: contextOf(),
        state: "error",
        description: expect.stringContaining("Unable to create comm") as string,
      },
    ]);
  });

  it("A158 a pull request that cannot be planned has a status that names the reason", async () => {
    const { server, plan } = await setUp();
    await expect(plan("f".repeat(40))).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
    expect(server.state.statuses).toMatchObject([
      {
        commit: head,
        context: contextOf(),
        state: "error",
        description: expect.stringContaining("No plan: ") as string,
      },
    ]);
    // What is wrong with the workflow does not hide why there is none.
    const { plan: planElsewhere } = await setUp(head, { GITHUB_REPOSITORY: "" });
    await expect(planElsewhere("f".repeat(40))).rejects.toMatchObject({ code: "E_GIT_OBJECT" });
  });

  it.each<[string, Readonly<Record<string, string | null>>, string | undefined]>([
    ["success", { "c4.yaml": fileOf("c4") }, undefined],
    ["failure", { "c4.yaml": "kind: [" }, undefined],
    ["pending", { "c2.yaml": null, "c3.yaml": null }, "A squash releases what waits (2 removals)"],
  ])("has the status %s, and compares the commits that the comment names", async (state, changes, ofSquash) => {
    const { repository } = commands.session;
    const three = { "c1.yaml": fileOf("c1"), "c2.yaml": fileOf("c2"), "c3.yaml": fileOf("c3") };
    const from = await repository.commit({ branch: `three-${state}`, from: null, files: three });
    const to = await repository.commit({ branch: `three-${state}`, files: changes });
    const { server, plan } = await setUp(to);
    server.state.repositorySettings = { squash_merge_commit_message: "PR_BODY" };
    server.state.pullCommits = ["First", "Second"].map((message) => ({ message, email: "a@example.com" }));
    server.state.pulls = server.state.pulls.map((pull) => ({ ...pull, body: "Rollcall-Allow-Deletions: 2" }));
    await plan(from);
    expect(server.state.statuses).toMatchObject([{ commit: to, state }]);
    const [{ body } = { body: "" }] = server.state.comments;
    expect(body).toContain(`base=${from} head=${to}`);
    expect(body, "the notes of the plan").toContain(`Compares commit ${to.slice(0, 12)}`);
    expect(body.includes("A squash")).toBe(ofSquash !== undefined);
    expect(body).toContain(ofSquash ?? "");
  });

  it("asks the forge by the proxy that the environment names", async () => {
    const asked: string[] = [];
    const proxy = createServer().on("connect", ({ url = "" }, socket) => {
      asked.push(url);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const elsewhere = { GITHUB_API_URL: "https://forge.example", HTTPS_PROXY: `http://127.0.0.1:${port}` };
    const { plan } = await setUp(head, elsewhere);
    await plan(base).catch(describeError);
    expect(new Set(asked)).toEqual(new Set(["forge.example:443"]));
  });

  it("A201 a job of a former commit that is run again leaves the plan of the newest one", async () => {
    const { server, plan } = await setUp();
    await plan(base);
    const [pull] = server.state.pulls;
    if (!pull) throw new Error("the workflow opened none");
    server.state.pulls[0] = { ...pull, headCommit: "f".repeat(40) };
    const written = server.state.comments.map(({ body }) => body);
    const { errorText } = await plan(head);
    expect(errorText).toContain("the comment of pull request 5 was left as it is: a newer commit was pushed");
    expect(server.state.comments.map(({ body }) => body)).toEqual(written);
    expect(written).toHaveLength(1);
    expect(new Set(server.state.statuses.map(({ commit }) => commit))).toEqual(new Set([head]));
  });

  it("A158 a pull request from a fork, whose token may write nothing, ends no job", async () => {
    const { server, plan } = await setUp();
    server.refuseWrites = (response) => {
      response.writeHead(403, { "content-type": "application/json" });
      response.end('{"message":"Resource not accessible by integration"}');
      return true;
    };
    const { code, errorText } = await plan(base);
    expect(code).toBe(0);
    expect(errorText).toContain("Resource not accessible by integration");
  });
});
