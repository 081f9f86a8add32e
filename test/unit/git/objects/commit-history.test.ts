import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCommit, parseCommit, parseCommitSignature } from "../../../../src/git/objects/commit-format.ts";
import { isAncestorCommit, listCommitsBetween } from "../../../../src/git/objects/commit-history.ts";
import type { Commit } from "../../../../src/git/git.ts";
import { countOfTrailers } from "../../../../src/planning/approvals.ts";

const treeId = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const draft = {
  format: "sha1" as const,
  treeId,
  parent: undefined,
  author: { name: "Rollcall", email: "rollcall@example.org" },
  committedAtMs: 1_800_000_000_999,
  message: "subject\n",
};

describe("formatCommit", () => {
  it("gives back every message byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 200 }), async (text) => {
        const message = text.replaceAll("\0", "");
        const content = await formatCommit({ ...draft, message });
        expect(parseCommit("id", content).message).toBe(message);
      }),
    );
  });

  it("A44 lets no name break out of its line", async () => {
    const author = { name: "Eve <x@y> 0 +0000\nparent 123", email: "a@b>\ncommitter x" };
    const commit = parseCommit("id", await formatCommit({ ...draft, author }));
    expect(commit.author).toEqual({ name: "Eve x@y 0 +0000parent 123", email: "a@bcommitter x" });
    expect(commit.parents).toEqual([]);
  });

  it("puts a signature where git reads it, for each object format", async () => {
    const sign = async (): Promise<string> => "-----BEGIN\r\nabc\n\n-----END\n\n";
    for (const format of ["sha1", "sha256"] as const) {
      const content = await formatCommit({ ...draft, format, sign });
      const header = format === "sha1" ? "gpgsig" : "gpgsig-sha256";
      expect(content.toString()).toContain(`+0000\n${header} -----BEGIN\n abc\n \n -----END\n\nsubject\n`);
      const signature = parseCommitSignature("id", content);
      expect(signature?.armoured).toBe("-----BEGIN\nabc\n\n-----END");
      expect(Buffer.from(signature?.payload ?? "").equals(await formatCommit(draft))).toBe(true);
    }
  });
});

describe("parseCommit", () => {
  const person = "A B <a@b> 1700000000 +0100";
  const [one = "", other = ""] = ["1", "2"].map((digit) => digit.repeat(40));
  const header = `tree ${treeId}\nauthor ${person}\ncommitter ${person}\n`;

  it.each([
    { what: "no message", text: header, message: "" },
    { what: "an empty message", text: `${header}\n`, message: "" },
    { what: "a message that resembles a header", text: `${header}\ntree x\n`, message: "tree x\n" },
    // `git log` and forges show nothing behind it: an approval could hide there (A59).
    {
      what: "text behind a NUL",
      text: `${header}\nFix a typo\n\0\n\nRollcall-Allow-Deletions: 5\n`,
      message: "Fix a typo\n",
    },
    {
      what: "text of another encoding behind a NUL",
      text: `${header}encoding utf-16le\n\n${[..."Fix\n\nRollcall-Allow-Deletions: 5"].join("\0")}\0`,
      message: "\ufffd",
    },
    { what: "a byte order mark", text: `${header}\n\ufeffx`, message: "\ufeffx" },
    {
      what: "headers that it does not know",
      text: `${header}mergetag object x\n type y\nHG:extra z\n\nm`,
      message: "m",
    },
  ])("reads a commit with $what", ({ text, message }) => {
    const commit = parseCommit("id", Buffer.from(text));
    expect(commit).toMatchObject({ treeId, parents: [], message, committedAtMs: 1_700_000_000_000 });
  });

  it("A106 passes over a line among the headers that is none, as git does", () => {
    const content = Buffer.from(`${header}gpgsig\nx\n y z\n\nm`);
    expect(parseCommit("id", content)).toMatchObject({ treeId, parents: [], message: "m" });
    expect(parseCommitSignature("id", content)).toBeUndefined();
  });

  // Each as `git rev-list --parents` has it: no forge shows a commit that only another reading reaches.
  it.each([
    { what: "behind others", text: `tree ${treeId}\nparent ${one}\nparent ${other}\n`, parents: [one, other] },
    { what: "behind the author", text: `${header}parent ${other}\n`, parents: [] },
    {
      what: "behind a line that is no header",
      text: `tree ${treeId}\nparent ${one}\nx\nparent ${other}\n`,
      parents: [one],
    },
    { what: "behind a continued one", text: `tree ${treeId}\nparent ${one}\n x\nparent ${other}\n`, parents: [one] },
    { what: "behind a continued tree", text: `tree ${treeId}\n x\nparent ${other}\n`, parents: [] },
  ])("A168 has a parent where git has one: $what", ({ text, parents }) => {
    const commit = parseCommit("id", Buffer.from(`${text}author ${person}\ncommitter ${person}\n\nm`));
    expect(commit).toMatchObject({ treeId, parents });
  });

  it("A168 refuses a commit that does not begin with its tree, as git does", () => {
    expect(() => parseCommit("id", Buffer.from(`x\n${header}\nm`))).toThrow("without a tree");
  });

  it("A105 cuts a message of more than 64 KiB, whose trailers then approve nothing", () => {
    const start = `Fix a typo\n\n${"x".repeat(64 * 1024 - 100)}\n\nRollcall-Allow-Deletions: 5\n\n`;
    const { message } = parseCommit("id", Buffer.from(`${header}\n${start}${"Thanks. ".repeat(1_000_000)}`));
    expect(message.length).toBeLessThan(66_000);
    expect(message).toContain(start);
    expect(countOfTrailers(message)).toBeUndefined();
  });

  it("A105 refuses a commit that has more parents than fit into a megabyte", () => {
    const parents = `parent ${treeId}\n`.repeat(30_000);
    expect(() => parseCommit("id", Buffer.from(`tree ${treeId}\n${parents}\nm`))).toThrow("more than 1048576 bytes");
  });

  it("reads a message in the encoding that it names", () => {
    const latin = Buffer.concat([Buffer.from(`${header}encoding ISO-8859-1\n\n`), Buffer.from([0xfc])]);
    expect(parseCommit("id", latin).message).toBe("ü");
  });

  it.each(["IBM1047", "CP037", "x-unknown"])(
    "A202 takes no approval from a message in %s, which git shows as another text or not at all",
    (encoding) => {
      const text = `${header}encoding ${encoding}\n\nTidy up\n\nRollcall-Allow-Deletions: 9\n`;
      const { message } = parseCommit("id", Buffer.from(text));
      expect(message).toContain("Tidy up");
      expect(countOfTrailers(message)).toBeUndefined();
    },
  );

  it.each([
    { line: "Nobody", author: { name: "Nobody", email: "" } },
    { line: "<only@mail> 1 +0000", author: { name: "", email: "only@mail" } },
    { line: "No Date <a@b>", author: { name: "No Date", email: "a@b" } },
    { line: "A <a@b> 99999999999999999999 +0000", author: { name: "A", email: "a@b" } },
  ])("bears with a malformed person: $line", ({ line, author }) => {
    const commit = parseCommit("id", Buffer.from(`tree ${treeId}\nauthor ${line}\ncommitter ${line}\n\nm`));
    expect(commit.author).toEqual(author);
    expect(Number.isSafeInteger(commit.committedAtMs)).toBe(true);
  });

  it("throws nothing but its own error on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.boolean(), (bytes, hasHeader) => {
        const content = hasHeader ? Buffer.concat([Buffer.from(header), bytes]) : bytes;
        try {
          parseCommit("id", content);
          parseCommitSignature("id", content);
        } catch (error) {
          expect(error).toMatchObject({ code: "E_GIT_OBJECT" });
        }
      }),
    );
  });
});

describe("histories", () => {
  /** A history where each commit's parents come before it; clocks may be wrong by as much as `skew`. */
  function makeHistory(shape: readonly (readonly number[])[], skew: readonly number[]): Map<string, Commit> {
    const commits = new Map<string, Commit>();
    shape.forEach((parents, index) => {
      const valid = [...new Set(parents.map((parent) => parent % Math.max(index, 1)))].filter(() => index > 0);
      const author = { name: "", email: "" };
      const committedAtMs = (index + (skew[index] ?? 0)) * 1000;
      commits.set(`c${index}`, {
        id: `c${index}`,
        treeId,
        parents: valid.map((n) => `c${n}`),
        author,
        committedAtMs,
        message: "",
      });
    });
    return commits;
  }

  function reachable(commits: ReadonlyMap<string, Commit>, from: string | undefined): Set<string> {
    const found = new Set<string>();
    const queue = from === undefined ? [] : [from];
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (found.has(id) || !commits.has(id)) continue;
      found.add(id);
      queue.push(...(commits.get(id)?.parents ?? []));
    }
    return found;
  }

  it.each([
    { clocks: "are wrong", skewSeconds: 3, commits: 25 },
    { clocks: "were chosen", skewSeconds: 100, commits: 60 },
  ])("A140 are walked by reachability where clocks $clocks", async ({ skewSeconds, commits: count }) => {
    const shape = fc.array(fc.array(fc.nat(2 * count), { maxLength: 3 }), { minLength: 1, maxLength: count });
    const skew = fc.array(fc.integer({ min: -skewSeconds, max: skewSeconds }), { maxLength: count });
    await fc.assert(
      fc.asyncProperty(shape, skew, fc.nat(count + 5), fc.nat(count + 5), async (parents, clocks, left, right) => {
        const commits = makeHistory(parents, clocks);
        const readCommit = async (id: string): Promise<Commit | undefined> => commits.get(id);
        const [from, to] = [`c${left}`, `c${right}`];
        const isReachable = commits.has(from) && reachable(commits, to).has(from);
        expect(await isAncestorCommit(from, to, readCommit)).toBe(isReachable);
        const excluded = reachable(commits, from);
        const expected = [...reachable(commits, to)].filter((id) => !excluded.has(id)).sort();
        const listed = await listCommitsBetween({ from, to, limit: 1000, readCommit });
        expect(listed.map(({ id }) => id).sort()).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it.each([1, 8, 9, 40])("A140 have nothing that is in the base already, in %d places", async (places) => {
    const author = { name: "", email: "" };
    const commits = new Map<string, Commit>();
    const add = (id: string, parents: readonly string[], seconds: number): string => {
      commits.set(id, { id, treeId, parents, author, committedAtMs: seconds * 1000, message: "" });
      return id;
    };
    const roots = Array.from({ length: places }, (_, index) => add(`root${index}`, [], 1000 + index));
    let base = add("all", roots, 2000);
    for (let count = 0; count < 20; count++) base = add(`old${count}`, [base], count);
    const sides = roots.map((root, index) => add(`side${index}`, [root], 3000 + index));
    const head = add("head", [base, ...sides], 4000);
    const readCommit = async (id: string): Promise<Commit | undefined> => commits.get(id);
    const listed = await listCommitsBetween({ from: base, to: head, limit: 1000, readCommit });
    expect(listed.map(({ id }) => id).sort()).toEqual([...sides, head].sort());
  });

  it("cost their distance, not their length", async () => {
    const line = makeHistory(
      [...Array(5000).keys()].map((n) => [n - 1].filter((p) => p >= 0)),
      [],
    );
    let reads = 0;
    const readCommit = async (id: string): Promise<Commit | undefined> => {
      reads += 1;
      return line.get(id);
    };
    expect(await isAncestorCommit("c4990", "c4999", readCommit)).toBe(true);
    expect(await isAncestorCommit("c4999", "c4990", readCommit)).toBe(false);
    expect(await listCommitsBetween({ from: "c4990", to: "c4999", limit: 1000, readCommit })).toHaveLength(9);
    expect(await listCommitsBetween({ from: undefined, to: "c4999", limit: 3, readCommit })).toHaveLength(3);
    expect(reads).toBeLessThan(100);
  });

  it("A105 are listed without what their walk keeps of messages, and with at most 16 Mi characters of them", async () => {
    const message = "x".repeat(1024 * 1024);
    const line = makeHistory(
      [...Array(30).keys()].map((n) => [n - 1].filter((p) => p >= 0)),
      [],
    );
    const readCommit = async (id: string): Promise<Commit | undefined> => {
      const commit = line.get(id);
      return commit && { ...commit, message };
    };
    const range = { from: "c0", to: "c29", limit: 100, readCommit };
    const lengthsOf = (commits: readonly Commit[]): number[] => commits.map((commit) => commit.message.length);
    const listed = lengthsOf(await listCommitsBetween(range));
    expect(listed).toEqual(listed.map((_, index) => (index < 17 ? message.length : 0)));
    expect(listed).toHaveLength(29);
    expect(lengthsOf(await listCommitsBetween({ ...range, isBrief: true }))).toEqual(Array(29).fill(0));
  });

  it("A105 are not walked beyond the commits that may be visited", async () => {
    const line = makeHistory(
      [...Array(1000).keys()].map((n) => [n - 1].filter((p) => p >= 0)),
      [],
    );
    const readCommit = async (id: string): Promise<Commit | undefined> => line.get(id);
    const range = { from: "c0", to: "c999", limit: Infinity, readCommit };
    expect(await listCommitsBetween({ ...range, maximumVisits: 1000 })).toHaveLength(999);
    await expect(listCommitsBetween({ ...range, maximumVisits: 999 })).rejects.toMatchObject({
      code: "E_BRANCH_LIMIT",
    });
  });
});
