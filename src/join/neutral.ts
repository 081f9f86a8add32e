import type { ResourceType } from "../model/kubernetes.ts";
import type { Credentials, Lifecycle, Registration, RegistrationKind, StatusMirror } from "./join.ts";

/** A kind that no API server has, so nothing of it is ever seen. */
const noType: ResourceType = { group: "", version: "", kind: "", plural: "", isNamespaced: false };

/** No agent asks to join: members join because they are declared. */
export const noRegistrations: RegistrationKind = {
  type: noType,
  workspaceOf: () => "",
  isDecided: () => true,
  tokenNameOf: () => undefined,
  isProven: () => false,
  decide: () => ({ kind: "none" }),
  expired: () => [],
  identifyingTypes: [],
};

/** A registration is for the workspace that it is in. */
export const workspaceOfNamespace: RegistrationKind["workspaceOf"] = ({ metadata }) => metadata.namespace ?? "";

/** An admission policy holds each request to the token whose account sends it. */
export const provenByAdmission: RegistrationKind["isProven"] = (_request, { token }) => token !== undefined;

/** A token of this protocol needs no objects on the hub. */
export const noTokenObjects: Registration["desiredTokenObjects"] = () => [];

/** A token of this protocol has no status: files that declare one are refused. */
export const noTokenStatuses: Registration["tokenStatuses"] = () => [];

/** Nothing changes by time alone. */
export const neverDue: Credentials["dueAtMs"] = () => undefined;

/** The controllers of the other project issue every credential. */
export const issuedElsewhere: Pick<Credentials, "credentialsDue" | "deliver"> = {
  credentialsDue: () => [],
  deliver: () => Promise.resolve({ objects: [], statusWrites: [] }),
};

/** The hub never installs an agent. */
export const neverInstalled: Credentials["pendingBootstrap"] = () => undefined;

/** The hub does not install an agent again that joined before. */
export const neverRejoins: Credentials["rejoinOf"] = () => ({});

/** A Cluster names no Secrets for this protocol. */
export const namesNoSecrets: Credentials["namedSecrets"] = () => [];

/** No object was taken over from another hub. */
export const noPreviousHubHolds: Lifecycle["previousHubHolds"] = () => [];

/** An agent has the same objects, whatever its Cluster asks for. */
export const noOptionalObjects: Lifecycle["optionalObjects"] = () => [];

/** Nothing is missing for an installation by a kubeconfig. */
export const nothingMissing: Lifecycle["whyNotInstalled"] = () => undefined;

/** The agents are not rolled out by the hub. */
export const rolledOutElsewhere: Lifecycle["agentProgress"] = () => undefined;

/** Nothing is placed for agents of this protocol through the hub, or the controllers of the other project remove it. */
export const nothingPlaced: Lifecycle["placedObjects"] = () => [];

/** No objects remain downstream after an offboarding. */
export const nothingStays: Lifecycle["whatStaysDownstream"] = () => undefined;

/** The file alone declares the heartbeat period. */
export const periodOfFile: StatusMirror["agentPeriodSeconds"] = () => undefined;

/** The controllers of the other project write the statuses of its objects. */
export const noStatusWrites: StatusMirror["statusWrites"] = () => [];

/** The statuses of the protocol's objects stay as they are during an offboarding. */
export const noOffboardingStatus: StatusMirror["offboardingStatusWrites"] = () => [];
