import { describe, expect, it } from "vitest";
import { readCiPullRequest } from "../../../../src/cli/commands/ci-pull-request.ts";

const event = JSON.stringify({ pull_request: { number: 7, head: { sha: "abc" } } });
const actions = {
  GITHUB_ACTIONS: "true",
  GITHUB_SERVER_URL: "https://git.example.com/",
  GITHUB_REPOSITORY: "team/fleet",
  GITHUB_API_URL: "https://git.example.com/api",
  GITHUB_EVENT_PATH: "/event.json",
};
const gitLab = {
  GITLAB_CI: "true",
  CI_MERGE_REQUEST_IID: "7",
  CI_COMMIT_SHA: "merged",
  CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: "abc",
  CI_API_V4_URL: "https://git.example.com/api/v4",
  CI_PROJECT_URL: "https://git.example.com/team/fleet",
};
const found = { number: 7, headCommit: "abc" };

describe("the pull request of a workflow", () => {
  it.each([
    ["GITHUB_ACTIONS", {}, "GitHub"],
    ["GITEA_ACTIONS", { GITEA_ACTIONS: "true" }, "Gitea"],
    ["FORGEJO_ACTIONS", { GITEA_ACTIONS: "true", FORGEJO_ACTIONS: "true" }, "Forgejo"],
  ])("is read from the variables of Actions: %s", (_name, own, provider) => {
    expect(readCiPullRequest({ ...actions, ...own }, event)).toEqual({
      provider,
      repositoryUrl: "https://git.example.com/team/fleet.git",
      apiUrl: "https://git.example.com/api",
      ...found,
    });
  });

  it("is read from the variables of GitLab", () => {
    const { CI_PROJECT_URL: repositoryUrl, CI_API_V4_URL: apiUrl } = gitLab;
    expect(readCiPullRequest(gitLab, undefined)).toEqual({ provider: "GitLab", repositoryUrl, apiUrl, ...found });
    const { CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: _source, ...branch } = gitLab;
    const unmerged = { ...branch, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: "" };
    for (const variables of [branch, unmerged])
      expect(readCiPullRequest(variables, undefined)).toMatchObject({ headCommit: "merged" });
  });

  it("is read from an event that names its number beside it, and without the address of an API", () => {
    const beside = JSON.stringify({ number: 7, pull_request: { head: { sha: "abc" } } });
    const read = readCiPullRequest({ ...actions, GITHUB_API_URL: "" }, beside);
    expect(read).toEqual({ provider: "GitHub", repositoryUrl: "https://git.example.com/team/fleet.git", ...found });
  });

  it.each([
    ["GITHUB_SERVER_URL", actions],
    ["GITHUB_REPOSITORY", actions],
    ["GITLAB_CI", gitLab],
    ["CI_MERGE_REQUEST_IID", gitLab],
    ["CI_PROJECT_URL", gitLab],
  ])("is none without %s", (name, variables) => {
    for (const value of [undefined, ""])
      expect(() => readCiPullRequest({ ...variables, [name]: value }, event)).toThrow(/E_USAGE|--comment/u);
  });
});
