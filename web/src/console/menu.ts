// Closes an open menu with Escape, and when something else is tapped. Without scripts, its own button closes it.

function closeMenus(except: Node | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) {
    if (!except || !menu.contains(except)) menu.open = false;
  }
}

/** Close menus as menus are closed everywhere else. */
export function closeMenusOutside(): void {
  document.addEventListener("click", (event) => closeMenus(event.target as Node | null));
  document.addEventListener("focusin", (event) => closeMenus(event.target as Node | null));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.querySelector<HTMLDetailsElement>("details.menu[open]");
    if (!open) return;
    open.open = false;
    open.querySelector("summary")?.focus();
  });
}
