import { cutWith } from "../../core/trim-characters.ts";
import type { RecordChange } from "../../model/generated/page-api.ts";
import type { RecordedCluster } from "./recorded-cluster.ts";

const mostLabels = 8;
const longestMessage = 300;

type Change = Omit<RecordChange, "message"> & { readonly message: string };

/** What differs between two records of a cluster, in sentences; undefined where there is no record. The state comes first. */
export function recordChanges(before: RecordedCluster | undefined, after: RecordedCluster | undefined): RecordChange[] {
  if (!before && !after) return [];
  if (!after) return [{ kind: "Removed", message: "It left the fleet." }];
  const changes = [
    ...(before ? [] : [{ kind: "Added" as const, message: "It was declared." }]),
    ...stateChange(before, after),
    ...joinChange(before, after),
    ...credentialChange(before, after),
    ...versionChange("Agent", "Agent", { from: before?.agent, to: after.agent }),
    ...versionChange("Kubernetes", "Kubernetes", { from: before?.kubernetes, to: after.kubernetes }),
    ...(before ? labelChange(before, after) : []),
    ...(before?.spec !== undefined && before.spec !== after.spec
      ? [{ kind: "Spec" as const, message: "Its file, or defaults by rule, changed its spec." }]
      : []),
  ];
  return changes.map((change) => ({ ...change, message: cutWith("…", change.message, longestMessage) }));
}

function stateChange(before: RecordedCluster | undefined, after: RecordedCluster): Change[] {
  const isSame = before?.state === after.state && before.reason === after.reason;
  if (isSame) return [];
  const why = after.message === undefined || after.message === "" ? "" : ` ${after.reason ?? ""}: ${after.message}`;
  const from = before === undefined || before.state === after.state ? "" : `, before ${wordsOf(before.state)}`;
  return [{ kind: "State", state: after.sign, phase: after.state, message: `${wordsOf(after.state)}${from}.${why}` }];
}

function joinChange(before: RecordedCluster | undefined, after: RecordedCluster): Change[] {
  if (after.joined !== undefined && after.joined !== before?.joined) {
    const by = after.token === undefined ? "" : ` with token ${after.token}`;
    return [{ kind: "Joined", message: `Its agent joined${by}.` }];
  }
  const hasOtherKeys = before?.keys !== undefined && after.keys !== undefined && before.keys !== after.keys;
  return hasOtherKeys ? [{ kind: "Joined", message: "Its agents have other keys." }] : [];
}

function credentialChange(before: RecordedCluster | undefined, after: RecordedCluster): Change[] {
  const [from, to] = [before?.credential, after.credential];
  if (from === to) return [];
  if (to === undefined) return [{ kind: "Credential", message: `Credential ${from ?? ""} is not valid any more.` }];
  const message = from === undefined ? `Credential ${to} was issued.` : `Credential ${to} replaced ${from}.`;
  return [{ kind: "Credential", message }];
}

function versionChange(
  kind: "Agent" | "Kubernetes",
  name: string,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
): Change[] {
  if (to === undefined || from === to) return [];
  return [{ kind, message: from === undefined ? `${name} ${to}.` : `${name} ${to}, before ${from}.` }];
}

function labelChange(before: RecordedCluster, after: RecordedCluster): Change[] {
  const keys = [...new Set([...before.labels.keys(), ...after.labels.keys()])]
    .filter((key) => before.labels.get(key) !== after.labels.get(key))
    .sort();
  if (keys.length === 0) return [];
  const describeOne = (key: string): string => {
    const [from, to] = [before.labels.get(key), after.labels.get(key)];
    if (to === undefined) return `${key} removed`;
    return from === undefined ? `${key}=${to} added` : `${key}=${to}, before ${from}`;
  };
  const more = keys.length > mostLabels ? [`${keys.length - mostLabels} more`] : [];
  return [{ kind: "Labels", message: `${[...keys.slice(0, mostLabels).map(describeOne), ...more].join("; ")}.` }];
}

function wordsOf(state: string): string {
  return state.replace(",", ", ");
}
