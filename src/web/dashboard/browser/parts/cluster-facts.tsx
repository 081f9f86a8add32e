import type { ComponentChildren, JSX } from "preact";
import type { ClusterDetail } from "../../../../model/generated/page-api.ts";
import { LifeBar } from "./life-bar.tsx";
import { LinkOut } from "./link-out.tsx";
import { When } from "./when.tsx";

/** What is known of a cluster besides its state. */
export function ClusterFacts({ detail }: { readonly detail: ClusterDetail }): JSX.Element {
  const { cluster, source, join, agent, credential, settings, platform, nodes, leave } = detail;
  return (
    <dl class="facts">
      <Fact title="Declared in">
        {source && (
          <LinkOut href={source.link}>
            <code>
              {source.file}:{source.line}
            </code>
          </LinkOut>
        )}
      </Fact>
      <Fact title="Kubernetes">
        {cluster.kubernetesVersion} {platform !== undefined && <span class="soft">{platform}</span>}
      </Fact>
      <Fact title="Nodes">{nodes && `${nodes.ready} of ${nodes.total} ready`}</Fact>
      <Fact title="Agent">
        {agent?.version}
        {agent?.wanted !== undefined && <span class="unknown"> → {agent.wanted} is wanted</span>}
        {agent?.refused !== undefined && <span class="notReady"> {agent.refused} did not come up</span>}
      </Fact>
      <Fact title="Joined">
        {join && (
          <>
            <When time={join.time} />
            <span class="soft">{describeJoin(join)}</span>
          </>
        )}
      </Fact>
      <Fact title="Credential">
        {credential && (
          <>
            {credential.number === undefined ? stateWords[credential.state] : `number ${credential.number}`}
            <LifeBar from={credential.issued} until={credential.expires} now={detail.now} />
          </>
        )}
      </Fact>
      <Fact title="Protocol">{cluster.protocol}</Fact>
      <Fact title="Groups">{(cluster.groups ?? []).join(", ")}</Fact>
      <Fact title="Dials">{settings.hubURL}</Fact>
      <Fact title="Known by">{settings.clientID}</Fact>
      <Fact title="When its file is deleted">
        {settings.deletionPolicy === "Uninstall" ? "the agent is uninstalled" : "the agent stays"}
      </Fact>
      {leave && (
        <Fact title="Leaves">
          {leave.phase}, since <When time={leave.since} />
        </Fact>
      )}
    </dl>
  );
}

const stateWords: Readonly<Record<NonNullable<ClusterDetail["credential"]>["state"], string>> = {
  Valid: "valid",
  Invalid: "not valid",
  Revoked: "revoked",
  NotIssued: "none yet",
  Unknown: "unknown to the hub",
};

function describeJoin({ token, mode }: NonNullable<ClusterDetail["join"]>): string {
  if (token !== undefined) return `, by token ${token}`;
  return mode === "HubInitiated" ? ", installed by the hub" : ", without a token";
}

function Fact({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element | null {
  const isKnown = [children]
    .flat()
    .some((child) => child !== undefined && child !== "" && child !== false && child !== " ");
  if (!isKnown) return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
