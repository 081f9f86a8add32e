import type { JSX } from "preact";
import type { AgentRollout, AgentWave } from "../../../../model/generated/page-api.ts";

/** The turns in which agents are rolled out, and from which version to which. */
export function AgentWaves({ rollout }: { readonly rollout: AgentRollout }): JSX.Element {
  const { count, atOnce, waves, waveCount } = rollout;
  return (
    <>
      {atOnce < count && <p class="soft">{atOnce} at the same time; a wave begins as the one before it comes up.</p>}
      <ol class="waves">
        {waves.map((wave) => (
          <Wave key={wave.wave} of={wave} />
        ))}
      </ol>
      {waveCount > waves.length && <p class="soft">And {waveCount - waves.length} more waves.</p>}
    </>
  );
}

function Wave({ of: { wave, count, agents } }: { readonly of: AgentWave }): JSX.Element {
  return (
    <li>
      <strong>Wave {wave}</strong>
      <ul>
        {agents.map(({ cluster, from, to }) => (
          <li key={cluster}>
            {cluster}
            {from !== to && (
              <span class="soft">
                {" "}
                {from ?? "unset"} → {to ?? "unset"}
              </span>
            )}
          </li>
        ))}
        {count > agents.length && <li class="soft">and {count - agents.length} more</li>}
      </ul>
    </li>
  );
}
