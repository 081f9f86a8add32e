import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { WatchFailures } from "../../../src/hub/watch-failures.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const [away, refused] = [new AppError("E_KUBE_UNREACHABLE", "reset"), new AppError("E_KUBE_FORBIDDEN", "no rights")];

function open() {
  const lines: string[] = [];
  const add = (message: string, fields: LogFields = {}): void => {
    const { kind = "", namespace = "" } = fields;
    lines.push([message, kind, namespace].filter((part) => part !== "").join(" "));
  };
  const failures = new WatchFailures({ ...silentLog, warn: add, info: add }, { monotonicMs: () => 0 });
  const watch = (namespace?: string) => {
    const options = failures.loggedOptions(resourceTypes.secret, namespace === undefined ? {} : { namespace });
    return { fail: (error: unknown) => options.onError?.(error), list: () => options.onListing?.()() };
  };
  return { failures, lines, watch };
}

describe("WatchFailures", () => {
  it("logs a hub that is away as one failure of all watches, and its end with the first list", () => {
    const { lines, watch } = open();
    const watches = Array.from({ length: 50 }, (_, index) => watch(`fleet-${index}`));
    for (let times = 0; times < 10; times++) for (const { fail } of watches) fail(away);
    for (const { list } of watches) list();
    expect(lines).toEqual(["the hub cannot be reached", "the hub is reached again"]);
  });

  it("logs what is refused for each watch", () => {
    const { lines, watch } = open();
    const [one, all] = [watch("fleet"), watch()];
    one.fail(refused);
    all.fail(refused);
    one.fail(refused);
    one.list();
    expect(lines).toEqual([
      "watching a kind failed Secret fleet",
      "watching a kind failed Secret",
      "a kind is watched again Secret fleet",
    ]);
  });

  it("leaves what a cache is asked for, and calls its listeners, too", () => {
    const calls: string[] = [];
    const options = open().failures.loggedOptions(resourceTypes.secret, {
      labelSelector: "a=b",
      onError: () => calls.push("failed"),
      onListing: () => {
        calls.push("listing");
        return () => calls.push("listed");
      },
    });
    options.onError?.(away);
    const onListed = options.onListing?.();
    onListed?.();
    expect([options.labelSelector, calls]).toEqual(["a=b", ["failed", "listing", "listed"]]);
  });
});
