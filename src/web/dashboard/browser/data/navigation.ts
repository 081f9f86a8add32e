import { useEffect, useState } from "preact/hooks";

const moved = new EventTarget();
/** A place that is shown, and that the browser did not take into its address yet. */
const late: { timer?: ReturnType<typeof setTimeout> } = {};
const lateMs = 1_000;

/** Navigates to a place of the page without loading it again. */
export function goTo(href: string, { isReplacing = false }: { readonly isReplacing?: boolean } = {}): void {
  const url = new URL(href, location.href);
  writeAddress(url, isReplacing);
  moved.dispatchEvent(new CustomEvent("moved", { detail: url }));
}

/** A key that is held writes more often than a browser admits. Then Safari throws, and Chromium ignores it: it is tried again. */
function writeAddress(url: URL, isReplacing: boolean): void {
  clearTimeout(late.timer);
  try {
    if (isReplacing) history.replaceState(null, "", url);
    else history.pushState(null, "", url);
  } catch {
    // The same as where it is ignored.
  }
  if (location.href !== url.href) late.timer = setTimeout(() => writeAddress(url, isReplacing), lateMs);
}

/** Where one is: path and query. */
export function useLocation(): URL {
  const [url, setUrl] = useState(() => new URL(location.href));
  useEffect(() => {
    const move = ({ detail }: CustomEventInit<URL>): void => setUrl(detail ?? new URL(location.href));
    const update = (): void => {
      clearTimeout(late.timer);
      setUrl(new URL(location.href));
    };
    moved.addEventListener("moved", move);
    addEventListener("popstate", update);
    return () => {
      moved.removeEventListener("moved", move);
      removeEventListener("popstate", update);
    };
  }, []);
  return url;
}

/** Follows a plain click on a link within the page; everything else is the browser's. */
export function followLink(event: MouseEvent): void {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!isPlain || event.defaultPrevented || link === null || link.target !== "" || link.origin !== location.origin)
    return;
  if (link.hash !== "" && link.pathname === location.pathname) return;
  event.preventDefault();
  const isOtherView = link.pathname !== location.pathname;
  // As a browser does: the way back has no entry twice.
  goTo(link.href, { isReplacing: link.href === location.href });
  if (isOtherView) scrollTo(0, 0);
}
