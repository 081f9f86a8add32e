import { describe, expect, it } from "vitest";
import { queueLimits, RequestQueue } from "../../../../src/embedded-hub/http/request-queue.ts";

/** A queue whose turns are made by the test, and the order in which requests began. */
function makeQueue(limits: Partial<typeof queueLimits> = {}): {
  readonly send: (username: string, name: string) => Promise<void>;
  readonly begun: string[];
  readonly finish: (name: string) => void;
  readonly turn: () => Promise<boolean>;
} {
  const turns: (() => void)[] = [];
  const begun: string[] = [];
  const leaves = new Map<string, () => void>();
  const queue = new RequestQueue((callback) => turns.push(callback), { ...queueLimits, ...limits });
  return {
    begun,
    send: async (username, name) => {
      const leave = await queue.enter({ username, groups: [] });
      begun.push(name);
      leaves.set(name, leave);
    },
    finish: (name) => leaves.get(name)?.(),
    turn: async () => {
      const callback = turns.shift();
      callback?.();
      await Promise.resolve();
      await Promise.resolve();
      return callback !== undefined;
    },
  };
}

describe("RequestQueue", () => {
  it("A60 lets another user begin after at most one turn of a user that floods", async () => {
    const { send, begun, turn } = makeQueue();
    for (let index = 0; index < 1_000; index += 1) void send("flooder", `flood-${index}`);
    await Promise.resolve();
    const before = begun.length;
    expect(before).toBeLessThanOrEqual(queueLimits.perTurn);
    void send("other", "other");
    await turn();
    expect(begun.indexOf("other")).toBeGreaterThanOrEqual(0);
    expect(begun.indexOf("other") - before).toBeLessThanOrEqual(1);
  });

  it("A60 refuses with 429 what one user has waiting beyond the limit, and takes another user's request", async () => {
    const { send, begun, turn } = makeQueue();
    const outcomes = Array.from({ length: 1_100 }, (_, index) =>
      send("flooder", `flood-${index}`).catch((error: unknown) => error),
    );
    const refusal = await outcomes.at(-1);
    expect(refusal).toMatchObject({ status: { code: 429, details: { retryAfterSeconds: 1 } } });
    void send("other", "other");
    await turn();
    expect(begun).toContain("other");
  });

  it("A60 keeps seats for others while a user holds all of its own", async () => {
    const { send, begun, turn, finish } = makeQueue({ perUser: 2, inAll: 3 });
    for (const name of ["a", "b", "c"]) void send("flooder", name);
    void send("other", "other");
    await turn();
    expect(begun).toEqual(["a", "b", "other"]);
    finish("a");
    await turn();
    expect(begun).toEqual(["a", "b", "other", "c"]);
  });

  it("begins every request in the end, and forgets users that have none", async () => {
    const { send, begun, turn, finish } = makeQueue({ perUser: 3, inAll: 5 });
    const names = Array.from({ length: 200 }, (_, index) => `${index}`);
    for (const name of names) void send(`user-${Number(name) % 7}`, name);
    let finished = 0;
    while (await turn()) for (; finished < begun.length; finished += 1) finish(begun[finished] ?? "");
    expect(new Set(begun)).toEqual(new Set(names));
  });
});

describe("RequestQueue and users that leave answers unread", () => {
  /** A queue of two requests a turn, and users without room. */
  function world() {
    const turns: (() => void)[] = [];
    const full = new Set(["full"]);
    let announce: () => void = () => undefined;
    const room = {
      hasRoom: (username: string) => !full.has(username),
      onRoom: (listener: () => void) => void (announce = listener),
    };
    const queue = new RequestQueue((callback) => turns.push(callback), { ...queueLimits, perTurn: 2 }, room);
    const begun: string[] = [];
    const send = async (username: string, name: string, onGone?: (listener: () => void) => void): Promise<void> => {
      await queue.enter({ username, groups: [] }, onGone);
      begun.push(name);
    };
    /** Turns until none is asked for; a queue without an end of them does not end. */
    const settle = async (): Promise<void> => {
      for (let callback = turns.shift(); callback !== undefined; callback = turns.shift()) {
        callback();
        await new Promise(setImmediate);
      }
    };
    const giveRoom = (username: string): void => {
      full.delete(username);
      announce();
    };
    return { begun, send, settle, giveRoom };
  }

  it("A134 lets the requests of such a user wait, and those of others begin", async () => {
    const { begun, send, settle } = world();
    for (const name of ["a", "b", "c"]) void send("full", name);
    void send("other", "other");
    await settle();
    expect(begun).toEqual(["other"]);
  });

  it("A134 lets all of them begin when there is room", async () => {
    const { begun, send, settle, giveRoom } = world();
    for (const name of ["a", "b", "c"]) void send("full", name);
    await settle();
    giveRoom("another");
    await settle();
    expect(begun).toEqual([]);
    giveRoom("full");
    await settle();
    expect(begun).toEqual(["a", "b", "c"]);
  });

  it("forgets such a user when its client disconnects", async () => {
    const { begun, send, settle, giveRoom } = world();
    let leave: () => void = () => undefined;
    const refused = send("full", "a", (listener) => void (leave = listener)).catch((error: unknown) => error);
    await settle();
    leave();
    giveRoom("full");
    await settle();
    expect(begun).toEqual([]);
    expect(await refused).toMatchObject({ status: { code: 400 } });
  });
});

describe("RequestQueue and clients that go away", () => {
  it.each([
    { of: "its user", limits: { userWaiting: 1 } },
    { of: "all users", limits: { allWaiting: 1 } },
  ])("A60 takes its place in the line of $of from a request whose client has disconnected", async ({ limits }) => {
    const queue = new RequestQueue(() => undefined, { ...queueLimits, perUser: 1, ...limits });
    const user = { username: "anna", groups: [] };
    await queue.enter(user);
    let leave: () => void = () => undefined;
    const waiting = queue.enter(user, (listener) => (leave = listener));
    expect(() => queue.enter(user)).toThrow("too many requests");
    leave();
    await expect(waiting).rejects.toThrow("disconnected");
    void queue.enter(user);
  });
});
