import type { JSX } from "preact";
import type { RegistrationRow, TokenList, TokenRow } from "../../../../model/generated/page-api.ts";
import { Answer } from "../parts/answer.tsx";
import { Card } from "../parts/card.tsx";
import { LinkOut } from "../parts/link-out.tsx";
import { State } from "../parts/state.tsx";
import { TokenLife } from "../parts/token-life.tsx";
import { When } from "../parts/when.tsx";
import { clusterPath } from "../data/routes.ts";
import { count } from "../data/words.ts";
import { useAnswer } from "../data/use-live.ts";

/** The registration tokens of the fleet: which clusters registered with each, and which wait. */
export function TokensView(): JSX.Element {
  const answer = useAnswer<TokenList>("tokens", { parts: ["tokens"] });
  return (
    <>
      <h1>Tokens and registrations</h1>
      <Answer of={answer}>
        {({ tokens, registrations }) => (
          <>
            <Waiting registrations={registrations} />
            <Card title="Registration tokens" isScrolled aside={tokens.length}>
              {tokens.length === 0 ? (
                <p class="soft">No token is declared: no agent can ask to join.</p>
              ) : (
                <Tokens tokens={tokens} />
              )}
            </Card>
            <Card title="Requests to join" isScrolled aside={registrations.length}>
              {registrations.length === 0 ? (
                <p class="soft">
                  None waits. An agent with the values of a token asks to join; an answered request is deleted after a
                  while.
                </p>
              ) : (
                <Registrations registrations={registrations} />
              )}
            </Card>
          </>
        )}
      </Answer>
    </>
  );
}

function Waiting({ registrations }: { readonly registrations: readonly RegistrationRow[] }): JSX.Element | null {
  const waiting = registrations.filter(({ decision }) => decision === "Proposed");
  if (waiting.length === 0) return null;
  return (
    <Card title={`${count(waiting.length, "cluster waits", "clusters wait")} for an approval`} tone="warn">
      <ul class="plain">
        {waiting.map(({ workspace, name, cluster, token, message, link }) => (
          <li key={`${workspace}/${name}`}>
            <strong>
              {workspace}/{cluster ?? name}
            </strong>{" "}
            by token {token}. {message}
            {token !== undefined && (
              <span class="soft">
                {" "}
                Its file is on branch{" "}
                <code>
                  rollcall/join/{workspace}/{token}
                </code>
                ; merging it admits the cluster.{" "}
                {link !== undefined && <LinkOut href={link}>Open its pull request</LinkOut>}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Tokens({ tokens }: { readonly tokens: readonly TokenRow[] }): JSX.Element {
  return (
    <table class="wide">
      <thead>
        <tr>
          {["Token", "State", "Ends", "Used", "Admits", "Approval", "Last registered"].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={`${token.workspace}/${token.name}`}>
            <th scope="row">
              {token.workspace}/{token.name}
              {token.source && (
                <div class="soft">
                  <LinkOut href={token.source.link}>
                    {token.source.file}:{token.source.line}
                  </LinkOut>
                </div>
              )}
            </th>
            <td title={token.message}>
              <State of={token.state === "True" ? "ready" : token.state === "False" ? "notReady" : "unknown"} />{" "}
              {token.reason}
            </td>
            <td>
              <TokenLife token={token} />
            </td>
            <td>
              {token.uses}
              {token.maximumUses !== undefined && ` of ${token.maximumUses}`}
            </td>
            <td>{token.clusterNames.length === 0 ? "any new name" : token.clusterNames.join(", ")}</td>
            <td>{token.approval === "PullRequest" ? "by pull request" : "automatic"}</td>
            <td>
              {token.lastUses.slice(0, 3).map(({ cluster, time }) => (
                <div key={`${cluster} ${time}`}>
                  <a href={clusterPath({ workspace: token.workspace, name: cluster })}>{cluster}</a>{" "}
                  <span class="soft">
                    <When time={time} />
                  </span>
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const tones = { Waiting: "unknown", Proposed: "unknown", Granted: "ready", Refused: "notReady" } as const;

function Registrations({ registrations }: { readonly registrations: readonly RegistrationRow[] }): JSX.Element {
  return (
    <table class="wide">
      <thead>
        <tr>
          {["Request", "Decision", "Cluster", "Token", "Asked", "Why"].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {registrations.map(({ workspace, name, decision, cluster, token, time, reason, message }) => (
          <tr key={`${workspace}/${name}`}>
            <th scope="row">
              <code title={`${workspace}/${name}`}>{name}</code>
            </th>
            <td>
              <span class={`tag ${tones[decision]}`}>{decision}</span>
            </td>
            <td>{cluster}</td>
            <td>{token}</td>
            <td>
              <When time={time} />
            </td>
            <td class="soft">
              {reason} {message}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
