import { describe, expect, it } from "vitest";
import { openAccess } from "../../../../src/web/dashboard/access.ts";
import type { Access, Admission, SeenResource } from "../../../../src/web/dashboard/access.ts";
import { proxyAccess } from "../../../../src/web/dashboard/access.ts";
import { createHub, createPage } from "./followed-hub.ts";

describe("EventHub", () => {
  it.each([
    ["auditor", "owner"],
    ["owner", "auditor"],
  ])(
    "notifies a viewer of the repository of what changed in it, and none of the others who see the same clusters: %s first",
    async (...users) => {
      const isAllowed = async (
        { username }: { readonly username: string },
        { resource }: SeenResource,
      ): Promise<boolean> => resource === "clusters" || username === "owner";
      const { clock, feed, follow, stop } = createHub((clock) =>
        proxyAccess(
          { clock, daemonNamespace: "rollcall", workspaces: () => ["one"], isAllowed },
          { user: "x-user", groups: "x-groups" },
        ),
      );
      const pages = new Map(users.map((user) => [user, createPage()]));
      for (const [user, { sink }] of pages) await follow(sink, user);
      feed.recordPart("repository");
      await clock.advance(1_000);
      expect(pages.get("owner")?.page.texts.join("")).toContain('{"parts":["repository"]}');
      expect(pages.get("auditor")?.page.texts.join("")).not.toContain("repository");
      stop.abort();
    },
  );

  it("A196 sends texts in which nothing turns the direction of writing", async () => {
    const { clock, feed, follow, stop } = createHub(() => openAccess(() => ["one"]));
    const { page, sink } = createPage();
    await follow(sink, "anyone");
    feed.recordCluster("one/a\u202eb");
    await clock.advance(1_000);
    expect(page.texts.join("")).toContain('"gone":["one/a\\\\u{202e}b"]');
    stop.abort();
  });

  it.each([
    { status: 401, code: "SignIn" },
    { status: 403, code: "Forbidden" },
  ] as const)(
    "A92 writes nothing more to a viewer whose access has ended ($code), though the connection is not closed yet",
    async (ended) => {
      let refusal = undefined as Admission | undefined;
      const { clock, feed, follow, stop } = createHub(() => {
        const open = openAccess(() => ["one"]);
        return { ...open, admit: async (request) => refusal ?? open.admit(request) };
      });
      const { page, sink } = createPage();
      await follow(sink, "anyone");
      refusal = { kind: "refused", ...ended, why: "ended" };
      await clock.advance(60_000);
      expect(page.ends).toBe(1);
      feed.recordCluster("one/eu-1");
      await clock.advance(120_000);
      expect(page).toMatchObject({ ends: 1, afterEnd: 0 });
      stop.abort();
    },
  );

  it("A92 lets a page go that takes nothing for a minute, and forgets it", async () => {
    const { clock, feed, follow, stop } = createHub(() => openAccess(() => ["one"]));
    const { page, sink } = createPage(0);
    await follow(sink, "anyone");
    await clock.advance(300_000);
    feed.recordCluster("one/eu-1");
    await clock.advance(300_000);
    expect(page).toMatchObject({ ends: 1, afterEnd: 0 });
    expect(clock.sleepers).toBe(0);
    stop.abort();
  });

  it("keeps the other pages alive, and lets go of them, while the hub does not answer for one viewer", async () => {
    const answers = { owner: new Promise<Admission>(() => undefined) };
    let isAsked = false;
    const { clock, follow, stop } = createHub(() => {
      const open = openAccess(() => ["one"]);
      const refusal: Admission = { kind: "refused", status: 401, code: "SignIn", why: "ended" };
      const admit: Access["admit"] = async (request) => {
        if (!isAsked) return open.admit(request);
        return request.headers["x-user"] === "owner" ? answers.owner : refusal;
      };
      return { ...open, admit };
    });
    const [slow, ended, stalled] = [createPage(), createPage(), createPage(0)];
    await follow(slow.sink, "owner");
    await follow(ended.sink, "auditor");
    await follow(stalled.sink, "stalled");
    isAsked = true;
    await clock.advance(120_000);
    expect(slow.page.texts.filter((text) => text.includes("alive")).length).toBeGreaterThan(5);
    expect([slow.page.ends, ended.page.ends, stalled.page.ends]).toEqual([0, 1, 1]);
    stop.abort();
  });

  it("ends the stream of a viewer whose access cannot be evaluated, and continues for the others", async () => {
    let isBroken = false;
    const { clock, follow, stop } = createHub(() => {
      const open = openAccess(() => ["one"]);
      const admit: Access["admit"] = async (request) => {
        if (isBroken && request.headers["x-user"] === "owner") throw new TypeError("unexpected");
        return open.admit(request);
      };
      return { ...open, admit };
    });
    const [broken, other] = [createPage(), createPage()];
    await follow(broken.sink, "owner");
    await follow(other.sink, "auditor");
    isBroken = true;
    await clock.advance(120_000);
    expect([broken.page.ends, other.page.ends]).toEqual([1, 0]);
    expect(other.page.texts.filter((text) => text.includes("alive")).length).toBeGreaterThan(5);
    stop.abort();
  });
});
