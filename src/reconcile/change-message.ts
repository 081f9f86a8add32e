import { countOf } from "../core/count-of.ts";
import { escapeMarkdown } from "../core/escape-markdown.ts";
import type { HubChange } from "../model/hub-change.ts";
import { describeEdit } from "../planning/edits-by-hand.ts";
import { shownUser } from "../planning/written-by.ts";

/** Trailers of the commits that record what people did on the hub. */
export const hubTrailer = "Rollcall-Hub";
const objectTrailer = "Rollcall-Hub-Object";
const userTrailer = "Rollcall-Hub-User";
const managerTrailer = "Rollcall-Hub-Manager";

const longestSubject = 72;
const shownFields = 10;
const verbs = { Create: "create", Edit: "change", Delete: "delete" } as const;

/** The message of a commit with these changes: what is known of their users and field managers. */
export function changeMessage(changes: readonly HubChange[], hubId: string): string {
  const [first] = changes;
  const more = changes.length > 1 ? ` and ${countOf(changes.length - 1, "more object")}` : "";
  const subject = first === undefined ? "" : `hub: ${verbs[first.file.kind]} ${shortName(first)}`;
  const managers = [...new Set(changes.flatMap((change) => change.managers))];
  const users = [...new Set(changes.flatMap((change) => change.users.map(shownUser)))];
  const trailers = [
    `${hubTrailer}: ${hubId}`,
    ...changes.map(({ object, live }) => `${objectTrailer}: ${object} ${live.metadata.uid ?? "unknown"}`),
    ...users.map((user) => `${userTrailer}: ${user}`),
    ...(managers.length === 0
      ? [`${managerTrailer}: unknown; see the audit log of the API server`]
      : managers.map((manager) => `${managerTrailer}: ${manager}`)),
  ];
  const lines = changes.map((change) => `- ${describeChange(change)}: ${change.path}`);
  return `${subject.slice(0, longestSubject - more.length)}${more}\n\nA person did this on the hub.\n\n${lines.join("\n")}\n\n${trailers.join("\n")}\n`;
}

/** `create Cluster/fleet/eu-1` */
export function describeChange({ file, object }: HubChange): string {
  return `${verbs[file.kind]} ${object}`;
}

/** `change Cluster/fleet/eu-1 (metadata.labels[site])`, with ten fields at most. */
export function describeFields(change: HubChange): string {
  const { file } = change;
  if (file.kind !== "Edit") return describeChange(change);
  const named = file.edits.slice(0, shownFields).map(({ path }) => describeEdit({ path, manager: "" }));
  const more = file.edits.length > shownFields ? `, ${file.edits.length - shownFields} more` : "";
  return `${describeChange(change)} (${named.join(", ")}${more})`;
}

function shortName({ live: { kind, metadata }, workspace }: HubChange): string {
  return `${kind} ${metadata.namespace ?? workspace}/${metadata.name}`;
}

/** The text of a pull request. */
export function describeRequest(change: HubChange): { readonly title: string; readonly body: string } {
  const { object, managers, users, path, file } = change;
  const names = users.length === 0 ? managers : users.map(shownUser);
  const by = names.length === 0 ? "" : ` by ${names.map((name) => escapeMarkdown(name)).join(", ")}`;
  const fields = file.kind === "Edit" ? file.edits.map(({ path: at }) => `- ${escapeMarkdown(at.join("."))}`) : [];
  return {
    title: `hub: ${describeChange(change)}`.slice(0, 200),
    body: [
      `A person did this on the hub${by}: ${escapeMarkdown(`${describeChange(change)}, file ${path}`)}.`,
      "",
      ...(fields.length === 0 ? [] : [...fields, ""]),
      `Merging this makes ${escapeMarkdown(object)} match this request. Close it to leave git as it is.`,
    ].join("\n"),
  };
}
