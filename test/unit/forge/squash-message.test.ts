import { describe, expect, it } from "vitest";
import type { SquashSource } from "../../../src/forge/squash-message.ts";
import { giteaSquashMessage, gitHubSquashMessage, gitLabSquashMessage } from "../../../src/forge/squash-message.ts";
import { countOfTrailers } from "../../../src/planning/approvals.ts";

const line = "Rollcall-Allow-Deletions: 3";
const commit = (message: string, author = "a@example.com") => ({ message, author });
const source = (more: Partial<SquashSource> = {}): SquashSource => ({
  title: "Remove three",
  body: `They are meant.\r\n\r\n${line}\r\n`,
  commits: [commit("First\n"), commit(`Second\n\n${line}\n`)],
  ...more,
});
const approvedBy = (message: string | undefined) => (message === undefined ? "unknown" : countOfTrailers(message));

describe("A59 the approval in the message that a forge proposes for a squash", () => {
  it.each([
    { reason: "the text of the request is the message", setting: "PR_BODY", more: {}, count: 3 },
    { reason: "the title alone is the message", setting: "BLANK", more: {}, count: undefined },
    { reason: "the last of several commits has it", setting: "COMMIT_MESSAGES", more: {}, count: 3 },
    {
      reason: "the first of several commits has it",
      setting: "COMMIT_MESSAGES",
      more: { commits: [commit(`First\n\n${line}\n`), commit("Second\n")] },
      count: undefined,
    },
    {
      reason: "the only commit has it",
      setting: "COMMIT_MESSAGES",
      more: { commits: [commit(`First\n\n${line}\n`)] },
      count: 3,
    },
    { reason: "the token may not read the setting", setting: undefined, more: {}, count: "unknown" },
    {
      reason: "commits of several authors add lines behind it",
      setting: "PR_BODY",
      more: { commits: [commit("First"), commit("Second", "b@example.com")] },
      count: "unknown",
    },
  ])("of GitHub is $count when $reason", ({ setting, more, count }) => {
    expect(approvedBy(gitHubSquashMessage(setting, source(more)))).toBe(count);
  });

  it("of Gitea and Forgejo is that of the request's text", () => {
    expect(approvedBy(giteaSquashMessage(source()))).toBe(3);
    expect(approvedBy(giteaSquashMessage(source({ body: "" })))).toBeUndefined();
    expect(approvedBy(giteaSquashMessage(source({ commits: [commit("a"), commit("b", "b@example.com")] })))).toBe(
      "unknown",
    );
  });

  it.each([
    { reason: "without a template", template: undefined, count: undefined },
    { reason: "with the description in the template", template: "%{title}\n\n%{description}", count: 3 },
    {
      reason: "with a line behind the description",
      template: "%{title}\n\n%{description}\n\nSee merge request %{reference}",
      count: undefined,
    },
    { reason: "with commits in the template", template: "%{title}\n\n%{all_commits}", count: "unknown" },
  ])("of GitLab is $count $reason", ({ template, count }) => {
    expect(approvedBy(gitLabSquashMessage(template, source()))).toBe(count);
  });

  it("of GitLab takes no variable from the text of the request", () => {
    const body = `%{title} %{all_commits}\n\n${line}`;
    expect(gitLabSquashMessage("%{description}", source({ body }))).toBe(body);
  });

  it("of GitLab is not known for a request of one commit", () => {
    expect(gitLabSquashMessage(undefined, source({ commits: [commit("One")] }))).toBeUndefined();
  });

  it.each([
    { setting: "COMMIT_MESSAGES", messages: [" One\n\nbody\n"], expected: " One\n\nbody\n" },
    { setting: "COMMIT_MESSAGES", messages: [" One\n\nbody\n", "Two\n"], expected: "Title\n\n*  One\n\nbody\n\n* Two" },
    { setting: "COMMIT_MESSAGES", messages: [], expected: "Title\n\n" },
    { setting: "BLANK", messages: ["One", "Two"], expected: "Title" },
    { setting: "ANOTHER", messages: ["One", "Two"], expected: undefined },
  ])("of GitHub joins $messages by $setting", ({ setting, messages, expected }) => {
    const commits = messages.map((message) => commit(message));
    expect(gitHubSquashMessage(setting, { ...source(), title: "Title", commits })).toBe(expected);
  });

  it("of GitLab is the title by an empty template, as without one", () => {
    const request = { ...source(), title: "Title", commits: [commit("One"), commit("Two")] };
    expect([gitLabSquashMessage("", request), gitLabSquashMessage(undefined, request)]).toEqual(["Title", "Title"]);
  });
});
