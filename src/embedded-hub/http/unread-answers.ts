import type { Http2ServerResponse, Http2Session } from "node:http2";
import { constants } from "node:http2";
import { startTimer } from "../../core/timer.ts";

/** Answers of one session that a stranger leaves unread; the oldest ends for a further one. */
const mostUnread = 8;
const patienceMs = 5_000;

/**
 * Ends streams of HTTP/2 whose answer a stranger does not take, or whose request it never ends: each keeps its head, and a
 * session has a thousand. An answer that is not complete, such as a watch, is none of them.
 */
export function endUnread(session: Http2Session, response: Http2ServerResponse): void {
  const { stream } = response;
  if (!response.writableEnded || stream.closed || stream.destroyed) return;
  const unread = unreadOf.get(session) ?? new Set();
  unreadOf.set(session, unread.add(response));
  const cancel = startTimer(patienceMs, () => end(response), { isBackground: true });
  stream.once("close", () => {
    cancel();
    unread.delete(response);
  });
  const [oldest] = unread;
  if (unread.size > mostUnread && oldest) {
    unread.delete(oldest);
    end(oldest);
  }
}

const unreadOf = new WeakMap<Http2Session, Set<Http2ServerResponse>>();

function end({ stream }: Http2ServerResponse): void {
  stream.close(constants.NGHTTP2_CANCEL);
}
