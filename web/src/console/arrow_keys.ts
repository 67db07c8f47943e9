// The left and right arrow keys open the previous and the next hand of a round.

const TARGETS: Readonly<Record<string, string>> = { ArrowLeft: "prev", ArrowRight: "next" };
/** Elements that use the arrow keys themselves, and tables that scroll with them. */
const USES_ARROWS = "input, select, textarea, .scroll";

export function followArrowKeys(): void {
  document.addEventListener("keydown", (event) => {
    const rel = TARGETS[event.key];
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (rel === undefined || !isPlain || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest(USES_ARROWS)) return;
    document.querySelector<HTMLAnchorElement>(`.hand-links a[rel="${rel}"]`)?.click();
  });
}
