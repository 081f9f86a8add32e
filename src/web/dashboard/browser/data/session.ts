import type { Session } from "../../../../model/generated/page-api.ts";
import { ask } from "./ask.ts";

export async function readSession(): Promise<Session> {
  return ask<Session>("session");
}

/** @throws AskError when the hub does not accept the token */
export async function signIn(token: string): Promise<Session> {
  const session = await ask<Session>("session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: token.trim() }),
  });
  notifyTabs();
  return session;
}

export async function signOut(): Promise<void> {
  await ask<undefined>("session", { method: "DELETE" });
  notifyTabs();
}

const channelName = "rollcall-session";

/** The cookie is the browser's: another viewer in one tab is another viewer in all. */
function notifyTabs(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage("changed");
  channel.close();
}

/** Calls `listener` when a tab of this browser has signed in or out. Returns what ends it. */
export function onSessionChange(listener: () => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = listener;
  return () => channel.close();
}
