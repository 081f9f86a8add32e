import type { JSX } from "preact";
import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ActionList, ActionResult } from "../../../../model/generated/page-api.ts";
import type { ActionOffer } from "../data/action-offers.ts";
import { ActionsContext, performAction } from "../data/perform-action.ts";
import { useAnswer } from "../data/use-live.ts";

interface ActionsProps {
  /** The cluster; absent: the repository. */
  readonly of?: { readonly workspace: string; readonly name: string };
  readonly offers: readonly ActionOffer[];
}

/** The actions that the hub lets the viewer do, and why others are missing. Nothing where the page is read-only. */
export function Actions(props: ActionsProps): JSX.Element | null {
  const viewer = useContext(ActionsContext);
  return viewer !== undefined && props.offers.length > 0 ? <OfferedActions {...props} viewer={viewer} /> : null;
}

/** Rights come by no stream: one that was given or taken away shows after so long. */
const rightsEveryMs = 60_000;

type Outcome = { readonly isDone: boolean; readonly text: string };

function OfferedActions({ of, offers, viewer }: ActionsProps & { readonly viewer: string }): JSX.Element {
  const query = of ? `?workspace=${encodeURIComponent(of.workspace)}&name=${encodeURIComponent(of.name)}` : "";
  const rights = useAnswer<ActionList>(`actions${query}`, { everyMs: rightsEveryMs });
  const [asked, setAsked] = useState<ActionOffer>();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const items = (rights.error ? undefined : rights.value?.items) ?? [];
  const allowed = offers.filter(({ request }) =>
    items.some(({ action, isAllowed }) => action === request.action && isAllowed),
  );
  const refusals = new Set(items.flatMap(({ isAllowed, why }) => (isAllowed || why === undefined ? [] : [why])));
  const perform = ({ request }: ActionOffer): void => {
    if (isBusy) return;
    setAsked(undefined);
    setBusy(true);
    setOutcome(undefined);
    performAction(request, viewer)
      .then(({ message }: ActionResult) => setOutcome({ isDone: true, text: message }))
      .catch((error: unknown) => {
        setOutcome({ isDone: false, text: error instanceof Error ? error.message : String(error) });
        rights.askAgain();
      })
      .finally(() => setBusy(false));
  };
  return (
    <div class="actions" role="group" aria-label="Actions">
      {allowed.map((offer, index) => (
        // By place, and not `disabled`: a button that is replaced or disabled loses the focus.
        <button
          key={index}
          type="button"
          class={offer.isSevere === true ? "quiet severe" : "quiet"}
          aria-disabled={isBusy}
          onClick={() => (offer.consequence === undefined ? perform(offer) : setAsked(offer))}
        >
          {offer.label}
        </button>
      ))}
      {[...refusals].map((why) => (
        <p class="soft" key={why}>
          No actions: {why}
        </p>
      ))}
      {rights.error && (
        <p class="soft">
          No actions: {rights.error.message}{" "}
          <button type="button" class="quiet" onClick={rights.askAgain}>
            Try again
          </button>
        </p>
      )}
      <div class="outcome" role="status">
        {outcome?.isDone === true && <p class="notice soft">{outcome.text}</p>}
      </div>
      {outcome?.isDone === false && (
        <p class="notice bad" role="alert">
          {outcome.text}
        </p>
      )}
      {asked && <Confirm offer={asked} onYes={() => perform(asked)} onNo={() => setAsked(undefined)} />}
    </div>
  );
}

interface ConfirmProps {
  readonly offer: ActionOffer;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Asks before an action, with its consequence. The first focus is on the way back. */
function Confirm({ offer, onYes, onNo }: ConfirmProps): JSX.Element {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Not an effect: that runs after the next frame, and a key before it would go to the page behind.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  // Closed before it is taken away: only then the focus returns to the button that opened it.
  const agree = (): void => {
    dialog.current?.close();
    onYes();
  };
  return (
    <dialog
      ref={dialog}
      class="confirm"
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onNo}
    >
      <h2 id={`${id}-title`}>{offer.label}?</h2>
      <p id={`${id}-text`}>{offer.consequence}</p>
      <div class="choices">
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class={offer.isSevere === true ? "severe" : ""} onClick={agree}>
          {offer.label}
        </button>
      </div>
    </dialog>
  );
}
