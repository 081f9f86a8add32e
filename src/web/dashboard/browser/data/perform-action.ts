import { createContext } from "preact";
import type { ActionRequest, ActionResult } from "../../../../model/generated/page-api.ts";
import { ask } from "./ask.ts";

/** Whether the page offers actions. */
export const ActionsContext = createContext(false);

/** Does it with the viewer's own token. @throws AskError with the reason of the hub */
export async function performAction(request: ActionRequest): Promise<ActionResult> {
  return ask<ActionResult>("actions", {
    method: "POST",
    headers: { "content-type": "application/json", "x-rollcall-action": "1" },
    body: JSON.stringify(request),
  });
}
