import type { JSX } from "preact";
import type { WaitingList } from "../../../../model/generated/page-api.ts";
import { count as formatCount } from "../data/words.ts";
import { Card } from "./card.tsx";
import { CommitId } from "./commit.tsx";
import { LinkOut } from "./link-out.tsx";

/** Which files are not applied, why, and since which commit. */
export function WaitingFiles({ waiting: { count, items } }: { readonly waiting: WaitingList }): JSX.Element {
  return (
    <Card title={formatCount(count, "file waits", "files wait")} tone="warn">
      <ul class="waiting-files">
        {items.map(({ file, message, since, link }) => (
          <li key={file}>
            <LinkOut href={link}>
              <code>{file}</code>
            </LinkOut>{" "}
            {since && (
              <span class="soft">
                since <CommitId commit={since} />{" "}
              </span>
            )}
            <span>{message}</span>
          </li>
        ))}
      </ul>
      {count > items.length && <p class="soft">And {count - items.length} more.</p>}
    </Card>
  );
}
