import { wellKnownUsers } from "../auth/auth.ts";
import type { UserInfo } from "../auth/auth.ts";
import type { OperationContext } from "./operations.ts";

/** The context of a write that the hub makes itself, and no client. */
export function internalContext(user: UserInfo, fieldManager: string): OperationContext {
  return { user, fieldManager, isDryRun: false, fieldValidation: "Ignore", warnings: [] };
}

/** Who kube-apiserver is to itself. */
export function serverContext(): OperationContext {
  return internalContext({ username: "system:apiserver", groups: [wellKnownUsers.mastersGroup] }, "kube-apiserver");
}
