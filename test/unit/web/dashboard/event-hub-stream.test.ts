import { afterEach, describe, expect, it } from "vitest";
import type { Access, Admission, Viewer } from "../../../../src/web/dashboard/access.ts";
import { openAccess } from "../../../../src/web/dashboard/access.ts";
import { createHub, createPage } from "./followed-hub.ts";

const anyone = () => openAccess(() => ["one"]);

/** Every user sees workspace `one`, until `state` changes. `askedAtMs` has the times of all questions. */
function changingAccess() {
  const state = { sightKey: "one", refusal: undefined as Admission | undefined, askedAtMs: [] as number[] };
  const makeAccess = (clock: { monotonicMs: () => number }): Access => ({
    ...anyone(),
    admit: async ({ headers }) => {
      state.askedAtMs.push(clock.monotonicMs());
      const viewer: Viewer = {
        user: String(headers["x-user"]),
        canSeeFleet: false,
        canSeeRepository: false,
        workspaces: ["one"],
        canSee: (workspace) => workspace === "one",
        sightKey: state.sightKey,
      };
      return state.refusal ?? { kind: "viewer", viewer };
    },
  });
  return { state, makeAccess };
}

/** Access whose answers wait, from `begin` on, for `answer`. */
function slowAccess() {
  let open: ((sight: Partial<Viewer>) => void)[] = [];
  let isSlow = false;
  const asked: string[] = [];
  const access: Access = {
    ...anyone(),
    admit: async (request) => {
      const admission = await anyone().admit(request);
      if (!isSlow || admission.kind === "refused") return admission;
      asked.push(String(request.headers["x-user"]));
      const sight = await new Promise<Partial<Viewer>>((resolve) => open.push(resolve));
      return { kind: "viewer", viewer: { ...admission.viewer, ...sight } };
    },
  };
  return {
    access,
    asked,
    begin: (): void => {
      isSlow = true;
    },
    answer: (sight: Partial<Viewer> = {}): void => {
      const waiting = open;
      open = [];
      for (const resolve of waiting) resolve(sight);
    },
  };
}

let stop = new AbortController();
afterEach(() => stop.abort());

function start(...options: Parameters<typeof createHub>) {
  const hub = createHub(...options);
  stop = hub.stop;
  return hub;
}

describe("the events of a page", () => {
  it("are the clusters that it may see, those that were deleted, and where the feed is", async () => {
    const { clock, feed, follow } = start(changingAccess().makeAccess, new Set(["one/there", "two/there"]));
    const { page, sink } = createPage();
    await follow(sink, "ann");
    for (const key of ["one/there", "one/deleted", "two/there"]) feed.recordCluster(key);
    await clock.advance(249);
    expect(page.texts).toEqual(["retry: 1000\n\n"]);
    await clock.advance(1);
    const changes = {
      from: "process.0",
      to: "process.3",
      items: [{ workspace: "one", name: "there" }],
      gone: ["one/deleted"],
    };
    expect(page.texts.slice(1)).toEqual([`event: clusters\nid: process.3\ndata: ${JSON.stringify(changes)}\n\n`]);
    feed.recordPart("tokens");
    await clock.advance(250);
    expect(page.texts[2]).toContain('event: changed\nid: process.4\ndata: {"parts":["tokens"]}\n\n');
  });

  it.each([
    { asked: { from: "process.1" }, isReset: false, first: '"from":"process.1","to":"process.2"' },
    { asked: { from: "process.2", lastEventId: "process.1" }, isReset: false, first: '"from":"process.1"' },
    { asked: { from: "another.1" }, isReset: true, first: "id: process.2\ndata: {}" },
    { asked: {}, isReset: false, first: undefined },
  ])("begin behind the cursor that the page sends: $asked", async ({ asked, isReset, first }) => {
    const { feed, follow } = start(anyone);
    feed.recordCluster("one/a");
    feed.recordCluster("one/b");
    const { page, sink } = createPage();
    await follow(sink, "ann", asked);
    expect(page.texts.slice(1).map((text) => text.includes(first ?? ""))).toEqual(first === undefined ? [] : [true]);
    expect(page.texts.some((text) => text.startsWith("event: reset"))).toBe(isReset);
  });

  it("wait while the page takes nothing, and are the newest state once it does", async () => {
    const { clock, feed, follow } = start(anyone);
    const { page, sink } = createPage(0);
    await follow(sink, "ann");
    for (const key of ["one/a", "one/b"]) {
      feed.recordCluster(key);
      await clock.advance(1_000);
    }
    expect(page.texts).toHaveLength(1);
    page.room = Number.POSITIVE_INFINITY;
    page.drain();
    expect(page.texts).toHaveLength(2);
    expect(page.texts[1]).toContain('"from":"process.0","to":"process.2","items":[],"gone":["one/a","one/b"]');
    await clock.advance(120_000);
    expect(page.ends).toBe(0);
  });

  it("cost nothing while no page is open, and begin again with the next one", async () => {
    const { clock, feed, follow } = start(anyone);
    feed.recordCluster("one/a");
    expect(clock.sleepers).toBe(0);
    const pages = [createPage(), createPage()];
    for (const { sink } of pages) await follow(sink, "ann");
    expect(clock.sleepers).toBe(1);
    feed.recordCluster("one/b");
    feed.recordCluster("one/c");
    expect(clock.sleepers).toBe(2);
    for (const { page } of pages) page.close();
    await clock.advance(20_000);
    expect(clock.sleepers).toBe(0);
    const later = createPage();
    await follow(later.sink, "ann");
    await clock.advance(15_000);
    expect(later.page.texts.at(-1)).toBe("event: alive\ndata: {}\n\n");
  });

  it("have a line every 15 seconds in which nothing changed", async () => {
    const { clock, feed, follow } = start(anyone);
    const { page, sink } = createPage();
    await follow(sink, "ann");
    const counts: number[] = [];
    for (let second = 5; second <= 45; second += 5) {
      if (second === 20) feed.recordCluster("one/a");
      await clock.advance(5_000);
      counts.push(page.texts.filter((text) => text.startsWith("event: alive")).length);
    }
    // At 15 seconds; a change is sent at 15.25, so again at 35.
    expect(counts).toEqual([0, 0, 1, 1, 1, 1, 2, 2, 2]);
  });
});

describe("the number of open pages", () => {
  it("is at most 500, and a page that is closed makes room", async () => {
    const { follow } = start(changingAccess().makeAccess);
    const pages = Array.from({ length: 500 }, () => createPage());
    for (const [index, { sink }] of pages.entries()) await follow(sink, `user-${index}`);
    expect(pages.filter(({ page }) => page.ends > 0)).toEqual([]);
    const late = createPage();
    await follow(late.sink, "late");
    expect(late.page).toMatchObject({ texts: ["retry: 30000\n\n"], ends: 1 });
    pages[0]?.page.close();
    const next = createPage();
    await follow(next.sink, "next");
    expect(next.page).toMatchObject({ texts: ["retry: 1000\n\n"], ends: 0 });
  });

  it("has no limit of one user where the page has no users", async () => {
    const { follow } = start(anyone);
    const pages = Array.from({ length: 60 }, () => createPage());
    for (const { sink } of pages) await follow(sink, "ann");
    expect(pages.filter(({ page }) => page.ends > 0)).toEqual([]);
  });

  it("does not have a page that took nothing for more than a minute", async () => {
    const { clock, follow } = start(anyone);
    const { page, sink } = createPage(0);
    await clock.advance(100_000);
    await follow(sink, "ann");
    await clock.advance(60_000);
    expect(page.ends).toBe(0);
    await clock.advance(5_000);
    expect(page).toMatchObject({ ends: 1, texts: ["retry: 1000\n\n"] });
  });
});

describe("A92 the access of an open page", () => {
  it("is checked again every 35 seconds", async () => {
    const { state, makeAccess } = changingAccess();
    const { clock, follow } = start(makeAccess);
    await clock.advance(100_000);
    const { page, sink } = createPage();
    await follow(sink, "ann");
    await clock.advance(110_000);
    expect(state.askedAtMs).toEqual([100_000, 135_000, 170_000, 205_000]);
    expect(page.texts.filter((text) => text.startsWith("event: reset"))).toEqual([]);
  });

  it("is not checked twice at once", async () => {
    const slow = slowAccess();
    const { clock, follow } = start(() => slow.access);
    const { page, sink } = createPage();
    await follow(sink, "ann");
    slow.begin();
    await clock.advance(120_000);
    expect([slow.asked, page.ends]).toEqual([["ann"], 0]);
    slow.answer();
    await clock.advance(40_000);
    expect(slow.asked).toEqual(["ann", "ann"]);
  });

  it("lets the page read all anew when its viewer sees other things, once", async () => {
    const { state, makeAccess } = changingAccess();
    const { clock, follow } = start(makeAccess);
    const { page, sink } = createPage();
    await follow(sink, "ann");
    state.sightKey = "others";
    await clock.advance(120_000);
    expect(page.texts.filter((text) => text.startsWith("event: reset"))).toEqual([
      "event: reset\nid: process.0\ndata: {}\n\n",
    ]);
  });

  it("stays as it was while the hub cannot be asked", async () => {
    const { state, makeAccess } = changingAccess();
    const { clock, follow } = start(makeAccess);
    const { page, sink } = createPage();
    await follow(sink, "ann");
    state.refusal = { kind: "refused", status: 503, code: "HubAway", why: "no answer" };
    await clock.advance(120_000);
    expect(page.ends).toBe(0);
    expect(state.askedAtMs.length).toBeGreaterThan(2);
    expect(page.texts.at(-1)).toContain("alive");
  });

  it("A227 ends where its viewer asks for so much that its right is not checked", async () => {
    const { state, makeAccess } = changingAccess();
    const { clock, follow } = start(makeAccess);
    const { page, sink } = createPage();
    await follow(sink, "eve");
    state.refusal = { kind: "refused", status: 503, code: "Failed", why: "others wait" };
    await clock.advance(36_000);
    expect(page.ends).toBe(1);
  });

  it("A273 ends for a page that takes little, and so waits for room whenever it could be checked", async () => {
    const { state, makeAccess } = changingAccess();
    const { clock, feed, follow } = start(makeAccess);
    const { page, sink } = createPage(0);
    await follow(sink, "eve");
    await clock.advance(4_000);
    state.refusal = { kind: "refused", status: 403, code: "Forbidden", why: "taken away" };
    for (let round = 0; round < 6; round += 1) {
      feed.recordCluster(`one/c${round}`);
      page.drain();
      await clock.advance(20_000);
    }
    expect(page).toMatchObject({ ends: 1, afterEnd: 0 });
    expect(page.texts.join("")).not.toContain("one/c2");
  });

  it("is not checked for a page that was closed before its turn, and changes nothing at one that was closed meanwhile", async () => {
    const slow = slowAccess();
    const { clock, follow } = start(() => slow.access);
    const pages = Array.from({ length: 5 }, () => createPage());
    for (const [index, { sink }] of pages.entries()) await follow(sink, `user-${index}`);
    slow.begin();
    await clock.advance(36_000);
    expect(slow.asked).toEqual(["user-0", "user-1", "user-2", "user-3"]);
    const written = pages.map(({ page }) => page.texts.length);
    pages[0]?.page.close();
    pages[4]?.page.close();
    slow.answer({ sightKey: "others" });
    await clock.advance(1_000);
    expect(slow.asked).toHaveLength(4);
    expect(pages.map(({ page }, index) => page.texts.length - (written[index] ?? 0))).toEqual([0, 1, 1, 1, 0]);
  });
});
