import type { Session } from "../../../../model/generated/page-api.ts";
import { ask } from "./ask.ts";

export async function readSession(): Promise<Session> {
  return ask<Session>("session");
}

/** @throws AskError when the hub does not accept the token */
export async function signIn(token: string): Promise<Session> {
  return ask<Session>("session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: token.trim() }),
  });
}

export async function signOut(): Promise<void> {
  await ask<undefined>("session", { method: "DELETE" });
}
