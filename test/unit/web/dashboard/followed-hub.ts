import type { ClusterRow } from "../../../../src/model/generated/page-api.ts";
import type { Access } from "../../../../src/web/dashboard/access.ts";
import type { FleetReader } from "../../../../src/web/dashboard/dashboard-options.ts";
import { EventHub } from "../../../../src/web/dashboard/event-hub.ts";
import { FleetFeed } from "../../../../src/web/dashboard/fleet-feed.ts";
import type { WebRequest, WebSink } from "../../../../src/web/web.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

interface Asked {
  /** The cursor that its address names. */
  readonly from?: string;
  /** The cursor that a browser sends when it connects again. */
  readonly lastEventId?: string;
}

function requestOf(user: string, { from, lastEventId }: Asked): WebRequest {
  const headers = {
    host: "localhost",
    "x-user": user,
    ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
  };
  return {
    path: "/api/v1/events",
    query: new URLSearchParams(from === undefined ? {} : { from }),
    headers,
    remoteAddress: "127.0.0.1",
  } as unknown as WebRequest;
}

/** A page that takes the first `room` texts. `afterEnd` counts what is written to it behind its end. */
export function createPage(room = Number.POSITIVE_INFINITY) {
  const page = {
    texts: [] as string[],
    ends: 0,
    afterEnd: 0,
    room,
    close: (): void => undefined,
    drain: (): void => undefined,
  };
  const sink: WebSink = {
    write: (text) => {
      if (page.ends > 0) page.afterEnd += 1;
      page.texts.push(text);
      return page.texts.length <= page.room;
    },
    onDrain: (listener) => {
      page.drain = listener;
    },
    onClose: (listener) => {
      page.close = listener;
    },
    end: () => {
      page.ends += 1;
    },
  };
  return { page, sink };
}

/** The hub of events of a fleet whose clusters are `clusters`, each `workspace/name`. */
export function createHub(
  makeAccess: (clock: ReturnType<typeof createManualClock>) => Access,
  clusters: ReadonlySet<string> = new Set(),
) {
  const clock = createManualClock();
  const access = makeAccess(clock);
  const feed = new FleetFeed("process");
  const stop = new AbortController();
  const cluster = (workspace: string, name: string): ClusterRow | undefined =>
    clusters.has(`${workspace}/${name}`) ? ({ workspace, name } as ClusterRow) : undefined;
  const reader = { cluster } as unknown as FleetReader;
  const hub = new EventHub({ reader, feed, access, clock, signal: stop.signal });
  const follow = async (sink: WebSink, user: string, asked: Asked = {}): Promise<void> => {
    const request = requestOf(user, asked);
    const admission = await access.admit(request);
    if (admission.kind === "refused") throw new Error(admission.why);
    hub.follow(sink, { viewer: admission.viewer, request });
  };
  return { clock, feed, follow, stop };
}
