import { randomBytes } from "node:crypto";
import { textAt } from "../../../src/core/read-json.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { makeIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { makeRegistration } from "../../../src/join/rollcall/downstream/registration.ts";
import { readValuesText } from "../../../src/join/rollcall/downstream/values.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";

/** What an agent with the values of a token does first. Resolves with the name of its ClusterRegistration. */
export async function askToJoin(session: DaemonSession, token: string, name: string): Promise<string> {
  const values = await until(
    () => session.get(resourceTypes.secret, token),
    (seen) => textAt(seen, "data", "values") !== undefined,
  );
  const text = Buffer.from(textAt(values, "data", "values") ?? "", "base64").toString("utf8");
  const finding = readValuesText(text);
  if (finding.kind !== "values") throw new Error(`the values are ${finding.kind}`);
  const own: AgentValues = { ...finding.values, cluster: { name } };
  const identity = makeIdentity(own, `uid-${name}`, randomBytes(64));
  const registration = makeRegistration(identity, own, "0.1.0");
  await session.api.create(registration, { fieldManager: "agent" });
  return registration.metadata.name;
}
