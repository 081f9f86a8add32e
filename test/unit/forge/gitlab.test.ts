import { describe, expect, it } from "vitest";
import type { ForgeRequest } from "../../../src/forge/forge-http.ts";
import { createGitLabApi } from "../../../src/forge/gitlab.ts";
import type { JsonObject } from "../../../src/core/json.ts";

const context = "rollcall/system.fleet";
const commit = "a".repeat(40);

/** GitLab that answers every request with this, or by the end of its path. */
function gitLab(answer: unknown, byPath: Readonly<Record<string, unknown>> = {}) {
  const sent: ForgeRequest[] = [];
  const api = createGitLabApi(
    {
      send: (request) => {
        sent.push(request);
        const json = Object.entries(byPath).find(([end]) => request.path.endsWith(end))?.[1] ?? answer;
        return Promise.resolve({ json, hasNextPage: undefined });
      },
      close: () => Promise.resolve(),
    },
    "group/fleet",
  );
  return { api, sent };
}

const merge = {
  ...{ iid: 3, sha: commit, source_branch: "join/door", target_branch: "main", title: "Admit", description: "text" },
  ...{ source_project_id: 7, target_project_id: 7, web_url: "https://gitlab.example.com/3" },
};

describe("the status of a commit at GitLab", () => {
  const read = (statuses: readonly JsonObject[]) => gitLab(statuses).api.readStatus(commit, context);

  it.each([0, 1])("is the newest of those with its name, in whatever order they come", async (first) => {
    const statuses = [
      { id: 1, name: context, status: "success", description: "old" },
      { id: 2, name: context, status: "failed", description: "new" },
    ];
    const ordered = first === 0 ? statuses : statuses.reverse();
    const other = { id: 3, name: "build", status: "success", description: "another" };
    expect(await read([...ordered, other])).toEqual({ state: "failure", context, description: "new" });
  });

  it.each([
    { status: "success", state: "success" },
    { status: "failed", state: "failure" },
    { status: "canceled", state: "failure" },
    { status: "running", state: "pending" },
  ])("is $state where the forge has $status", async ({ status, state }) => {
    expect(await read([{ id: 1, name: context, status, target_url: "" }])).toEqual({ state, context, description: "" });
    const targetUrl = "https://page.example.com/";
    expect(await read([{ id: 1, name: context, status, target_url: targetUrl }])).toMatchObject({ targetUrl });
  });

  it("is undefined without one of its name", async () => {
    expect(await read([{ id: 1, name: "build", status: "success" }])).toBeUndefined();
  });

  it.each(["error", "failure"] as const)("is written as failed for %s", async (state) => {
    const { api, sent } = gitLab({});
    await api.writeStatus(commit, { state, context, description: "x" });
    expect(sent.map(({ body }) => body)).toEqual([{ state: "failed", name: context, description: "x" }]);
  });
});

describe("the merge requests of GitLab", () => {
  const list = (...items: readonly JsonObject[]) => gitLab(items).api.listPullRequests({ keptOfBody: (body) => body });

  it("have what the forge answers", async () => {
    expect(await list(merge)).toEqual([
      {
        ...{ number: 3, title: "Admit", body: "text", url: "https://gitlab.example.com/3", headBranch: "join/door" },
        ...{ headCommit: commit, baseBranch: "main", isFork: false, isDraft: false },
      },
    ]);
  });

  it.each<{ field: string; value: unknown }>([
    { field: "iid", value: null },
    { field: "sha", value: null },
    { field: "source_branch", value: null },
    { field: "target_branch", value: 1 },
  ])("are without one whose $field is $value", async ({ field, value }) => {
    expect(await list({ ...merge, [field]: value }, merge)).toHaveLength(1);
    await expect(
      gitLab({ ...merge, [field]: value }).api.createPullRequest({
        headBranch: "a",
        baseBranch: "b",
        title: "",
        body: "",
      }),
    ).rejects.toMatchObject({ code: "E_FORGE_PROTOCOL" });
  });

  it.each([
    { source: 8, target: 7, isFork: true },
    { source: null, target: 7, isFork: true },
    { source: null, target: null, isFork: true },
    { source: 7, target: 7, isFork: false },
  ])(
    "A123 are forks from $source into $target: $isFork, and keep no text of one",
    async ({ source, target, isFork }) => {
      const found = await list({ ...merge, source_project_id: source, target_project_id: target });
      expect(found).toMatchObject([{ isFork, body: isFork ? "" : "text" }]);
    },
  );

  it.each(["draft", "work_in_progress"])("are drafts by the field %s", async (field) => {
    expect(await list({ ...merge, [field]: true })).toMatchObject([{ isDraft: true }]);
  });

  it("are opened so that the merge deletes the branch, and run no command", async () => {
    const { api, sent } = gitLab(merge);
    await api.createPullRequest({ headBranch: "join/door", baseBranch: "main", title: "Admit", body: "a\n /merge\n" });
    expect(sent.map(({ body }) => body)).toEqual([
      {
        ...{ source_branch: "join/door", target_branch: "main", title: "Admit" },
        ...{ description: "a\n \\/merge\n", remove_source_branch: true },
      },
    ]);
  });

  it("are squashed with the messages of their commits, the oldest first", async () => {
    const message = (template: string, commits: readonly JsonObject[]) =>
      gitLab(
        { squash_commit_template: template },
        { "/merge_requests/3": merge, "/commits": commits },
      ).api.readSquashMessage(3);
    const two = [{ message: "Two" }, { message: "One" }];
    expect(await message("%{title}: %{description}", two)).toBe("Admit: text");
    expect(await message("%{title}", two.slice(1))).toBeUndefined();
  });
});

it("takes no note of the system, and none without an id, for a comment", async () => {
  const notes = [
    { id: 1, body: "ours", author: { id: 9 } },
    { id: 2, body: "mentioned in commit", system: true, author: { id: 9 } },
    { body: "no id", author: { id: 9 } },
  ];
  const keep = (comments: readonly { readonly id: string }[]) => Promise.resolve(comments as never);
  expect(await gitLab(notes).api.listComments(3, { keep, onCut: () => undefined })).toEqual([
    { id: "1", authorId: "9", body: "ours" },
  ]);
});
