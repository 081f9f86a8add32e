import type { MemberState } from "../model/member-state.ts";
import type { Member } from "../model/member.ts";

/**
 * The member state that a cluster takes over from its predecessor: identity, way of joining, labels. Credentials are
 * excluded, because they belong to accounts of the previous name; their numbers continue, so that none is ever used
 * twice. A use is counted in the workspace of the token: a token of that name in another one has uses of its own.
 */
export function movedState(
  { workspace, name, state = {} }: Member,
  { workspace: newWorkspace, state: successor }: Pick<Member, "workspace" | "state">,
): MemberState {
  const { clientID, keys, join, labels, install, installing, refusedVersion } = state;
  const { bootstrap: _, tokenUse, ...joined } = join ?? {};
  const use = tokenUse === undefined || newWorkspace !== workspace ? {} : { tokenUse };
  const lastNumber = Math.max(
    state.lastCredentialNumber ?? 0,
    state.credential?.number ?? 0,
    successor?.lastCredentialNumber ?? 0,
  );
  const { takenOverBy: _returned, ...kept } = successor ?? {};
  return {
    ...kept,
    ...(clientID === undefined ? {} : { clientID }),
    ...(keys === undefined ? {} : { keys }),
    ...(join === undefined
      ? {}
      : { join: { ...joined, ...use, time: join.time, registration: join.registration, initiated: join.initiated } }),
    ...(labels === undefined ? {} : { labels }),
    ...(install === undefined ? {} : { install: withoutBootstrap(install) }),
    ...(installing === undefined ? {} : { installing }),
    ...(refusedVersion === undefined ? {} : { refusedVersion }),
    ...(lastNumber === 0 ? {} : { lastCredentialNumber: lastNumber }),
    movedFrom: { workspace, name },
  };
}

/** Tokens that the hub makes for one member are counted by name. */
function withoutBootstrap({ bootstrap: _, ...install }: NonNullable<MemberState["install"]>) {
  return install;
}
