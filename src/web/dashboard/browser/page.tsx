// The page itself: Preact components over the answers of /api/v1, kept current by server-sent events. Built by the
// project's bundler into one script and one style sheet; it loads nothing from elsewhere.
import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme, readTheme } from "./data/theme.ts";

const root = document.getElementById("page");
if (root) {
  applyTheme(readTheme());
  render(<App />, root);
}
