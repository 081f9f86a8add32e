import { withHubInfo } from "../join/rollcall/downstream/membership.ts";
import { withReadmission } from "../join/rollcall/downstream/readmission.ts";
import { keyDigest } from "../join/rollcall/messages.ts";
import { hubInfoName, readmitName } from "../model/dialects/rollcall.ts";
import type { AgentContext } from "./agent-context.ts";

/**
 * Checks whether the hub was lost and restored. Then the hub publishes a new recovery credential for this agent, sealed to
 * its key. True when the agent took one that it did not have yet.
 */
export async function takeReadmission(context: AgentContext, signal: AbortSignal): Promise<boolean> {
  const { link, secrets, log } = context;
  const before = secrets.identity;
  if (before === undefined) return false;
  // The hub's info has the epoch. A readmission of an older epoch comes from an older copy of the hub.
  await link.readPublic(hubInfoName, signal, async (signed, identity) => {
    await secrets.changeIdentity((held) => withHubInfo(held ?? identity, signed), signal);
  });
  const previousToken = before.membership?.recoveryToken;
  const isRead = await link.readPublic(readmitName(keyDigest(before.keys.signing.public)), signal, async (signed) => {
    await secrets.changeIdentity((held) => withReadmission(held ?? before, signed), signal);
  });
  const isNew = isRead && secrets.identity?.membership?.recoveryToken !== previousToken;
  if (!isNew) return false;
  log.warn("the hub was restored and lets this agent back in", { epoch: secrets.identity?.epoch });
  link.recordRecovery();
  return true;
}
