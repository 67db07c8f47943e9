// A page in its language.

import { render, type VNode } from "preact";

const CHANGED = "language-changed";

/** Render a page, and again when its language has changed: what is entered stays. */
export function renderPage(build: () => VNode): void {
  const show = (): void => render(build(), document.getElementById("page")!);
  addEventListener(CHANGED, show);
  show();
}

/** Render the page again, in another language. */
export function renderAgain(): void {
  dispatchEvent(new Event(CHANGED));
}
