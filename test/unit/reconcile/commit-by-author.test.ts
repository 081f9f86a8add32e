import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { CommitRequest } from "../../../src/git/git.ts";
import type { HubChange } from "../../../src/model/hub-change.ts";
import { commitByAuthor } from "../../../src/reconcile/commit-by-author.ts";
import { hubChange, parsedFile, snapshotOf } from "./hub-changes.ts";

const create = (name: string, ...users: readonly string[]): HubChange =>
  hubChange(name, { users, path: `${name}.yaml`, file: { kind: "Create", text: name } });

async function commitAll(changes: readonly HubChange[], failAt = Infinity) {
  const requests: CommitRequest[] = [];
  const commitAndPush = (request: CommitRequest): Promise<string> => {
    if (requests.length === failAt) return Promise.reject(new AppError("E_GIT_PUSH_RACE", "push main"));
    requests.push(request);
    return Promise.resolve(`c${requests.length + 1}`);
  };
  const { signal } = new AbortController();
  const request = { branch: "main", snapshot: snapshotOf(), changes, hubId: "hub-1", nowMs: 0, signal };
  const yielded: string[] = [];
  let failure: unknown;
  try {
    for await (const { commit, committed } of commitByAuthor({ commitAndPush }, request))
      yielded.push(`${commit} ${committed.map(({ live }) => live.metadata.name).join(" ")}`);
  } catch (error) {
    failure = error;
  }
  const made = requests.map(({ author, committer, parent, changes: files }) => {
    return `${author.name}, ${committer?.name}: ${parent} + ${[...files.keys()].join(" ")}`;
  });
  return { made, yielded, failure };
}

describe("commitByAuthor", () => {
  it("makes one commit for each author, on top of the one before, with the files of both", async () => {
    const { made, yielded } = await commitAll([create("a", "alice"), create("b", "bob"), create("c", "alice")]);
    expect(made).toEqual(["alice, Rollcall: c1 + a.yaml c.yaml", "bob, Rollcall: c2 + a.yaml c.yaml b.yaml"]);
    expect(yielded).toEqual(["c2 a c", "c3 b"]);
  });

  it("keeps the edit of the first author in a file that the second one changed, too", async () => {
    const text = "kind: Cluster\nmetadata: {name: a}\n---\nkind: Cluster\nmetadata: {name: b}\n";
    const remove = (index: number, user: string): HubChange =>
      hubChange(`${index}`, { users: [user], path: "both.yaml", file: { kind: "Edit", index, edits: [edit(user)] } });
    const edit = (value: string) => ({ path: ["metadata", "labels", "by"], value });
    const requests: CommitRequest[] = [];
    const commits = commitByAuthor(
      {
        commitAndPush: (request) => {
          requests.push(request);
          return Promise.resolve("c");
        },
      },
      {
        branch: "main",
        snapshot: snapshotOf(parsedFile("both.yaml", { text })),
        changes: [remove(0, "alice"), remove(1, "bob")],
        hubId: "hub-1",
        nowMs: 0,
        signal: new AbortController().signal,
      },
    );
    for await (const { commit } of commits) expect(commit).toBe("c");
    const texts = requests.map(({ changes }) => String(changes.get("both.yaml")));
    expect(texts.map((each) => ["alice", "bob"].filter((name) => each.includes(name)))).toEqual([
      ["alice"],
      ["alice", "bob"],
    ]);
  });

  it("is of Rollcall where several users wrote one object, or none is known", async () => {
    const { made } = await commitAll([create("a", "mallory", "bob"), create("b")]);
    expect(made).toEqual(["Rollcall, Rollcall: c1 + a.yaml b.yaml"]);
  });

  it("is one commit of Rollcall for more than three authors", async () => {
    const { made } = await commitAll(["a", "b", "c", "d"].map((name) => create(name, name)));
    expect(made).toEqual(["Rollcall, Rollcall: c1 + a.yaml b.yaml c.yaml d.yaml"]);
  });

  it("yields what was pushed before a lost race", async () => {
    const { yielded, failure } = await commitAll([create("a", "alice"), create("b", "bob")], 1);
    expect(yielded).toEqual(["c2 a"]);
    expect(failure).toMatchObject({ code: "E_GIT_PUSH_RACE" });
  });
});
