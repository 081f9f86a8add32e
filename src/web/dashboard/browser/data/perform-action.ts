import { createContext } from "preact";
import type { ActionRequest, ActionResult } from "../../../../model/generated/page-api.ts";
import { ask } from "./ask.ts";

/** The viewer to whom the page offers actions; undefined: it offers none. */
export const ActionsContext = createContext<string | undefined>(undefined);

/** Does it with the viewer's own token. @throws AskError with the reason of the hub, or if the browser has another's token now */
export async function performAction(request: ActionRequest, viewer: string): Promise<ActionResult> {
  return ask<ActionResult>("actions", {
    method: "POST",
    headers: { "content-type": "application/json", "x-rollcall-action": encodeURIComponent(viewer) },
    body: JSON.stringify(request),
  });
}
